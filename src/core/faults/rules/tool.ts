// The contract between model and tool: unknown tools, arguments that do not fit, calls and results that do not belong
// together, schemas that a provider rejects, MCP (JSON-RPC 2.0 codes). What a tool itself answers: toolAnswer.ts.
import type { Rule } from '../rule.ts';
import { anyOf, listOf } from '../wordLists.ts';

export const toolRules: readonly Rule[] = [
  // JSON-RPC and MCP codes.
  {
    id: 'tool.rpc-invalid',
    class: 'T5',
    confidence: 0.95,
    tokens: ['-32600', '-32601', '-32602', '-32700', '-32603', '-32002'],
  },
  {
    id: 'tool.rpc-timeout-write',
    class: 'T3',
    secondary: 'T5',
    tier: 'decisive',
    confidence: 0.95,
    tokens: ['-32001'],
    operations: ['tool_write'],
  },
  {
    id: 'tool.rpc-timeout',
    class: 'T3',
    secondary: 'T5',
    confidence: 0.9,
    tokens: ['-32001'],
    operations: ['tool_read', 'model_read'],
  },
  {
    id: 'tool.rpc-closed-write',
    class: 'T3',
    secondary: 'T5',
    tier: 'decisive',
    confidence: 0.9,
    tokens: ['-32000'],
    operations: ['tool_write'],
  },
  {
    id: 'tool.rpc-closed',
    class: 'T5',
    secondary: 'T1',
    confidence: 0.9,
    tokens: ['-32000'],
    operations: ['tool_read', 'model_read'],
  },

  // The model called what is not there, or called it wrongly.
  {
    id: 'tool.bad-call-code',
    class: 'T5',
    confidence: 0.95,
    tokens: listOf(`tool_use_failed, tool_call_parse_error, invalid_tool_call, invalid_function_call, unknown_tool,
      tool_not_found, ai_nosuchtoolerror, ai_invalidtoolinputerror, ai_invalidtoolargumentserror,
      ai_toolexecutionerror, ai_toolcallrepairerror, malformed_function_call, invalid_function_parameters,
      invalid_tool_schema, tool_schema_error, invalid_tool_arguments, tool_call_validation_failed,
      jsonschemavalidationerror, mcp_tool_error, tool_unavailable`),
  },
  {
    id: 'tool.unknown',
    class: 'T5',
    confidence: 0.9,
    hints: ['tool', 'function'],
    pattern: anyOf(
      /(?:unknown|unavailable|non-?existent|unregistered|undefined|unrecogni[sz]ed|no such) (?:tool|function)\b/,
      /(?:tool|function) [^\n]{0,80}?(?:not found|does not exist|is not (?:available|registered|defined|known|a (?:known|valid) tool)|not in request|was not in|not available|no longer exists|is unavailable)/,
      /(?:attempted|tried) to (?:call|use|invoke) (?:an? )?(?:unknown|unavailable|invalid|undefined)? ?(?:tool|function)/,
    ),
  },
  {
    id: 'tool.bad-arguments',
    class: 'T5',
    confidence: 0.9,
    hints: ['tool', 'function', 'argument'],
    pattern: anyOf(
      /invalid (?:arguments|input|parameters|params) for (?:tool|function)/,
      /(?:tool|function)[ _-]?calls? (?:validation|parsing) (?:failed|error)/,
      /(?:failed|unable) to (?:parse|call|decode|generate) (?:a |the )?(?:tool|function)/,
      /invalid (?:tool|function)[ _-]?(?:call|use)/,
      /(?:tool|function)[ _-]?(?:call)?[ _-]?arguments? (?:are|is|were|was|must be) (?:not )?(?:valid|invalid|malformed|json)/,
      /malformed (?:tool|function)/,
      /(?:tool|function) (?:input|parameters?|arguments?) (?:did not|does not|do not|failed to) (?:match|validate|conform)/,
      /invalid json in (?:tool|function)|error parsing (?:tool|function)/,
    ),
  },
  {
    id: 'tool.message-order',
    class: 'T5',
    secondary: 'T7',
    tier: 'generic',
    confidence: 0.7,
    tokens: ['invalid_request_message_order'],
  },
  // Calls and results that do not belong together: the history has to be put right, another tool would fare no better.
  {
    id: 'tool.unpaired',
    class: 'T5',
    secondary: 'T7',
    confidence: 0.88,
    hints: listOf(`tool, function`),
    pattern: anyOf(
      /tool_?(?:use|call)s?_?(?:ids?)?[`'"]?[^\n]{0,40}?(?:without|must be followed|were found without|did not have response|must have a corresponding|unexpected)/,
      /tool[ _-]?call (?:parts?|messages?|blocks?)?[^\n]{0,20}?must be followed|unexpected [`'"]?tool_(?:use|result)/,
      /(?:number of )?(?:toolresult|tool_result|tool result|function response)[^\n]{0,60}?(?:exceeds?|equal|match)[^\n]{0,40}?(?:tooluse|tool_use|tool use|function call)/,
      /(?:role )?[`'"]?tool[`'"]?(?: role)? (?:messages? )?must (?:be a response|follow|respond)|no tool (?:call|output) found|same number of (?:function|tool) calls|toolconfig field must be defined|missing tool (?:results?|outputs?|responses?)/,
      /function ?call[^\n]{0,40}?missing a? ?[`'"]?thought_?signature|each [`'"]?tool_use[^\n]{0,40}?(?:single|corresponding)/,
    ),
    operations: ['model_read'],
  },
  // The provider rejects the tool's own description.
  {
    id: 'tool.schema-rejected',
    class: 'T5',
    secondary: 'T7',
    confidence: 0.9,
    hints: ['schema', 'function', 'tool'],
    pattern: anyOf(
      /invalid schema for (?:function|tool|response)|input_schema/,
      /(?:tools?|functions?)[\w.[\]'` ]{0,40}(?:parameters|schema|function_declarations)/,
      /function_declarations?\[|\btools[.[]\d+/,
      /(?:tool|function) (?:schema|name|parameters|description|definition)s? [^\n]{0,60}?(?:invalid|must|not supported|unsupported|too long|too many|should)/,
      /(?:schema|toolconfig\.tools|toolspec)[^\n]{0,60}?(?:is not supported|unsupported keyword|contains unsupported|is invalid)/,
      /(?:more than|maximum (?:number )?of|at most|limit of) \d+ (?:tools|functions)|too many (?:tools|functions)|(?:tools?|functions)[^\n]{0,20}?(?:array|list)[^\n]{0,20}?too long|duplicate (?:tool|function) names?|tool names must be unique/,
      /json schema is invalid/,
    ),
  },
  {
    id: 'tool.tools-param',
    class: 'T5',
    secondary: 'T7',
    confidence: 0.85,
    facts: ['tools-rejected'],
    statuses: [400, 422],
  },
];
