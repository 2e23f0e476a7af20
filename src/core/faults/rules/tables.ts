// All rules in one index, built once at load. The order of tables never decides: tiers and classes do (decide.ts).
import { indexRules } from '../rule.ts';
import type { Rule, RuleIndex } from '../rule.ts';
import { adapterRules } from './adapter.ts';
import { anthropicRules } from './anthropic.ts';
import { bedrockRules } from './bedrock.ts';
import { easternRules } from './eastern.ts';
import { googleRules } from './google.ts';
import { httpRules } from './http.ts';
import { loadRules } from './load.ts';
import { localRules } from './local.ts';
import { networkRules } from './network.ts';
import { openaiRules } from './openai.ts';
import { permanentRules } from './permanent.ts';
import { refusalRules } from './refusal.ts';
import { routerRules } from './router.ts';
import { sizeRules } from './size.ts';
import { stemRules } from './stems.ts';
import { streamRules } from './stream.ts';
import { toolRules } from './tool.ts';
import { toolAnswerRules } from './toolAnswer.ts';
import { transientRules } from './transient.ts';
import { worldLoadRules } from './world/load.ts';
import { worldNetworkRules } from './world/network.ts';
import { worldPermanentRules } from './world/permanent.ts';
import { worldRefusalRules } from './world/refusal.ts';
import { worldSizeRules } from './world/size.ts';

/** Every rule of every table. */
export const allRules: readonly Rule[] = [
  ...refusalRules,
  ...permanentRules,
  ...sizeRules,
  ...toolRules,
  ...toolAnswerRules,
  ...streamRules,
  ...loadRules,
  ...networkRules,
  ...transientRules,
  ...httpRules,
  ...openaiRules,
  ...anthropicRules,
  ...googleRules,
  ...bedrockRules,
  ...routerRules,
  ...localRules,
  ...easternRules,
  ...adapterRules,
  ...stemRules,
  ...worldRefusalRules,
  ...worldPermanentRules,
  ...worldSizeRules,
  ...worldLoadRules,
  ...worldNetworkRules,
];

/** The rules arranged for look-up. */
export const ruleIndex: RuleIndex = indexRules(allRules);
