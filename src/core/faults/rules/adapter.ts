// Troubles that Belay's own adapters find, by the codes they give them (adapters/providers/trouble.ts). They are structure,
// not wording: a provider cannot write them. A missing key is a matter for a person; a broken stream may pass elsewhere.
import type { Rule } from '../rule.ts';

export const adapterRules: readonly Rule[] = [
  {
    id: 'adapter.key',
    class: 'T7',
    detail: 'permission',
    confidence: 0.98,
    tokens: ['belay_missing_key', 'belay_key_store', 'belay_sign_in'],
  },
  { id: 'adapter.disclosure', class: 'T7', detail: 'permission', confidence: 1, tokens: ['belay_disclosure_denied'] },
  {
    id: 'adapter.misconfigured',
    class: 'T7',
    detail: 'fixable',
    confidence: 0.98,
    tokens: ['belay_bad_base_url', 'belay_unsupported_candidate'],
  },
  {
    id: 'adapter.not-an-api',
    class: 'T7',
    secondary: 'T1',
    detail: 'fixable',
    confidence: 0.8,
    tokens: ['belay_wrong_content_type'],
  },
  {
    id: 'adapter.broken-stream',
    class: 'T1',
    confidence: 0.9,
    tokens: [
      'belay_stream_ended_early',
      'belay_malformed_chunk',
      'belay_malformed_stream',
      'belay_content_after_finish',
      'belay_event_too_large',
    ],
    operations: ['model_read', 'tool_read'],
  },
  {
    id: 'adapter.empty',
    class: 'T1',
    secondary: 'V1',
    confidence: 0.75,
    tokens: ['belay_empty_answer'],
    operations: ['model_read', 'tool_read'],
  },
  { id: 'adapter.tool-call', class: 'T5', secondary: 'V1', confidence: 0.9, tokens: ['belay_malformed_tool_call'] },
  {
    id: 'adapter.bug',
    class: 'T1',
    confidence: 0.6,
    tokens: ['belay_adapter_error'],
    operations: ['model_read', 'tool_read'],
  },
];
