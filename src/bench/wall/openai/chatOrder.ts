// Rules of the OpenAI-like vendor that hold between fields and between messages: every tool call answered at once, no answer
// without a call, options only where they mean something. The schema (chatSchema.ts) has passed before this is asked.
import type { WireError } from '../wire.ts';
import type { ChatBody } from './chatSchema.ts';
import { invalid } from './errors.ts';

/** The first rule that is broken, or `null`. */
export function brokenRule(body: ChatBody): WireError | null {
  return brokenOption(body) ?? brokenPairing(body.messages);
}

function brokenOption(body: ChatBody): WireError | null {
  const { tools, tool_choice: choice } = body;
  if (!tools && choice !== undefined && choice !== 'none') {
    return invalid(
      "Invalid value for 'tool_choice': 'tool_choice' is only allowed when 'tools' are specified.",
      'tool_choice',
      null,
    );
  }
  if (!tools && body.parallel_tool_calls !== undefined) {
    const message =
      "Invalid value for 'parallel_tool_calls': 'parallel_tool_calls' is only allowed when 'tools' are specified.";
    return invalid(message, 'parallel_tool_calls', null);
  }
  if (typeof choice === 'object' && !tools?.some((tool) => tool.function.name === choice.function.name)) {
    return invalid(
      `Invalid value for 'tool_choice': no function named '${choice.function.name}' was specified in the 'tools' parameter.`,
      'tool_choice',
      null,
    );
  }
  if (body.stream_options && body.stream !== true) {
    const message = "The 'stream_options' parameter is only allowed when 'stream' is enabled.";
    return invalid(message, 'stream_options', null);
  }
  if (body.max_tokens != null && body.max_completion_tokens != null) {
    const message = "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.";
    return invalid(message, 'max_tokens', 'invalid_parameter_combination');
  }
  return null;
}

function brokenPairing(messages: ChatBody['messages']): WireError | null {
  let open = new Set<string>();
  let known = new Set<string>();
  for (const [i, message] of messages.entries()) {
    if (message.role === 'tool') {
      if (known.size === 0) {
        const text =
          "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.";
        return invalid(text, `messages.[${i}].role`, null);
      }
      if (!known.has(message.tool_call_id)) {
        const text = `Invalid parameter: 'tool_call_id' of '${message.tool_call_id}' not found in 'tool_calls' of previous message.`;
        return invalid(text, `messages.[${i}].tool_call_id`, null);
      }
      open.delete(message.tool_call_id);
      continue;
    }
    if (open.size > 0) return unanswered(open, i);
    known = new Set(message.role === 'assistant' ? message.tool_calls?.map((call) => call.id) : []);
    open = new Set(known);
    if (message.role === 'assistant' && message.content == null && !message.tool_calls && message.refusal == null) {
      const text = `Invalid value for 'content': expected a string, got null.`;
      return invalid(text, `messages.[${i}].content`, null);
    }
  }
  return open.size > 0 ? unanswered(open, messages.length) : null;
}

function unanswered(open: ReadonlySet<string>, at: number): WireError {
  const text = `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${[...open].join(', ')}`;
  return invalid(text, `messages.[${at}].role`, null);
}
