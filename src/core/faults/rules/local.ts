// Servers on one's own machine (Ollama, LM Studio, vLLM, llama.cpp): started wrongly, without the model, or too small.
import type { Rule } from '../rule.ts';

export const localRules: readonly Rule[] = [
  {
    id: 'local.not-pulled',
    class: 'T7',
    detail: 'fixable',
    confidence: 0.93,
    hints: ['try pulling', 'not found, try', 'no models loaded', 'no model loaded'],
    pattern: /try pulling|no models? (?:is |are )?loaded/,
  },
  {
    id: 'local.started-without',
    class: 'T7',
    detail: 'fixable',
    confidence: 0.92,
    hints: [' --'],
    pattern: /requires? --[a-z-]+|start(?:ed)? (?:the server )?with(?:out)? [`'"]?--/,
  },
  {
    id: 'local.too-small',
    class: 'T4',
    secondary: 'T7',
    confidence: 0.85,
    hints: ['system memory', 'unable to allocate', 'failed to allocate', 'out of memory'],
    pattern: /requires more system memory|(?:unable|failed) to allocate|out of memory/,
    operations: ['model_read'],
  },
  // LM Studio answers its own troubles with 400 and a sentence, which must be there to the letter: see isWholeMessage.
  {
    id: 'local.crashed',
    class: 'T1',
    secondary: 'T7',
    confidence: 0.85,
    hints: ['the model has crashed', 'model unloaded'],
    pattern:
      /^(?:error: )?(?:the model has crashed(?: without additional information)?\.?(?: \(exit code: -?\d{1,20}\))?|model (?:was )?unloaded)\.?$/,
    isWholeMessage: true,
    operations: ['model_read'],
  },
  {
    id: 'local.no-room',
    class: 'T4',
    secondary: 'T7',
    confidence: 0.85,
    hints: ['failed to load model'],
    pattern:
      /^(?:error: )?failed to load model "[^"\n]{1,80}"[.:]? (?:error: )?(?:model loading was stopped due to )?(?:insufficient system resources|out of memory)(?:\. continuing[^\n.]{0,120})?\.?$/,
    isWholeMessage: true,
    operations: ['model_read'],
  },
  {
    id: 'local.call-text',
    class: 'T5',
    secondary: 'T1',
    confidence: 0.92,
    hints: ['tool call'],
    pattern: /failed to parse tool call|error parsing tool call|tool call arguments? as json/,
  },
];
