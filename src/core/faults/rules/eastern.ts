// Zhipu GLM, DashScope (Qwen), MiniMax, Moonshot, DeepSeek, Baidu, Volcengine: numeric and dotted codes, which mean something
// only at these vendors.
import type { Rule } from '../rule.ts';
import { listOf } from '../wordLists.ts';

const families = ['eastern'] as const;

export const easternRules: readonly Rule[] = [
  {
    id: 'eastern.refused',
    class: 'T8',
    confidence: 0.95,
    families,
    tokens: listOf(`1301, datainspectionfailed, 1026, 1027, 1039.sensitive, 336104, sensitivecontentdetected,
      inputtextsensitivecontentdetected, outputtextsensitivecontentdetected`),
  },
  {
    id: 'eastern.overloaded',
    class: 'T4',
    confidence: 0.93,
    families,
    tokens: listOf(`1305, 1312, 2056, 336100, serveroverloaded, modelserving.overloaded, 336501.overload`),
  },
  {
    id: 'eastern.rate',
    class: 'T2',
    confidence: 0.93,
    families,
    tokens: ['1302', '1303', '1002', '1039', '1041', '336501', '336502', '18'],
  },
  { id: 'eastern.window', class: 'T2', secondary: 'T7', confidence: 0.92, families, tokens: ['1304', '1308', '1310'] },
  {
    id: 'eastern.money',
    class: 'T7',
    detail: 'quota',
    confidence: 0.95,
    families,
    tokens: listOf(`1113, 1112, 1309, 1311, 1008, arrearage, allocationquota, accountoverdue, 17`),
  },
  {
    id: 'eastern.key',
    class: 'T7',
    detail: 'permission',
    confidence: 0.95,
    families,
    tokens: listOf(`1000, 1001, 1003, 1004, 1110, 1111, 1220, 1221, 2049, invalidapikey, 110, 111, 1004.auth`),
  },
  {
    id: 'eastern.request',
    class: 'T7',
    detail: 'fixable',
    confidence: 0.88,
    families,
    tokens: listOf(
      `1210, 1211, 1212, 1213, 1214, 1215, 2013, model_not_found, modelnotopen, invalidendpointormodel.notfound`,
    ),
  },
  { id: 'eastern.size', class: 'T6', confidence: 0.95, families, tokens: ['1261', '336007', '336103'] },
  {
    id: 'eastern.input-range',
    class: 'T6',
    confidence: 0.95,
    hints: ['range of input length'],
    pattern: /range of input length/,
  },
  {
    id: 'eastern.broken',
    class: 'T1',
    confidence: 0.85,
    families,
    tokens: listOf(`1234, 500, 1230, 1013, 1024, 1033, internalerror, internalerror.algo, 336000, 336303`),
    operations: ['model_read'],
    exceptStatuses: [400, 401, 402, 403, 404, 429],
  },
];
