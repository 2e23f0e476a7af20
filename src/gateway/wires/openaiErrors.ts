// OpenAI's error shape: `{"error": {"message", "type", "code", "param"}}`, for HTTP answers and in-stream events alike.
// Source: OpenAI API reference, error codes; the type is what its SDKs and agents decide by.
import type { WireProblem } from './wire.ts';

const typeByStatus: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  429: 'rate_limit_error',
};

/** The JSON text of one failure. */
export function openaiErrorBody(problem: WireProblem): string {
  const { message, code, param, status } = problem;
  const type = typeByStatus[status] ?? (status >= 500 ? 'server_error' : 'invalid_request_error');
  return JSON.stringify({ error: { message, type, code, param } });
}
