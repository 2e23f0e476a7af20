// Is a tool's claim to be repeatable under one key (R1) true? Judged from what a test of it showed, never from its words:
// proposition 2 of the HFR document holds only for a tool that really does nothing twice for the same key, and a new tool is
// met by an idempotency contract test (appendix D). Decides only; engine/toolContract.ts makes the calls.
import * as z from 'zod';
import type { EffectLevel } from './entry.ts';
import { canonicalText, sha256Hex } from './key.ts';

/** What is tried: each with a key of its own, but for `repeated` and `other-arguments`, which use the key of `once`. */
export type ContractCase = 'once' | 'repeated' | 'together' | 'cut-off' | 'other-key' | 'other-arguments';

/** What was seen of one case. */
export interface ContractObservation {
  readonly name: ContractCase;
  /** By how much the number of effects grew; null: it could not be read. */
  readonly effects: number | null;
  /** What calls of this case answered or why a count is missing; for a person. */
  readonly detail: string;
}

/** What the observations prove. */
export interface ContractVerdict {
  readonly isPassed: boolean;
  /** What the tool did wrong, or what is not known of it; empty for a passed contract. */
  readonly problems: readonly string[];
  /** Cases that nobody tried and that are not needed to pass. */
  readonly untried: readonly ContractCase[];
}

interface Expectation {
  readonly effects: 0 | 1;
  readonly tooMany: string;
  readonly tooFew: string;
  readonly isNeeded: boolean;
}

const EXPECTED: Readonly<Record<ContractCase, Expectation>> = {
  once: {
    effects: 1,
    tooMany: 'one call has several effects, or something else has them at the same time',
    tooFew: 'a call has no effect that the count can see, so nothing can be proved',
    isNeeded: true,
  },
  repeated: { effects: 0, tooMany: 'the same key again acts again', tooFew: 'the count fell', isNeeded: true },
  together: {
    effects: 1,
    tooMany: 'two calls with the same key at the same time both act',
    tooFew: 'two calls with the same key at the same time do not act at all',
    isNeeded: true,
  },
  'cut-off': {
    effects: 1,
    tooMany: 'a call that was cut off and sent again acts twice',
    tooFew: 'a call that was cut off and sent again does not act at all',
    isNeeded: true,
  },
  'other-key': {
    effects: 1,
    tooMany: 'a call with another key acts several times',
    tooFew: 'a call with another key does not act: the tool takes different actions for one',
    isNeeded: true,
  },
  'other-arguments': {
    effects: 0,
    tooMany: 'the same key with other arguments acts: the tool takes the key for more than it is',
    tooFew: 'the count fell',
    isNeeded: false,
  },
};

/** All cases in the order in which they are tried. */
export const CONTRACT_CASES: readonly ContractCase[] = [
  'once',
  'repeated',
  'together',
  'cut-off',
  'other-key',
  'other-arguments',
];

/**
 * Passed only when every needed case was tried and none shows anything but the expected number of effects. A case may be
 * observed several times (cut off at several moments): each must hold.
 */
export function judgeContract(observations: readonly ContractObservation[]): ContractVerdict {
  const problems: string[] = [];
  const untried: ContractCase[] = [];
  for (const name of CONTRACT_CASES) {
    const expected = EXPECTED[name];
    const seen = observations.filter((observation) => observation.name === name);
    if (seen.length === 0 && expected.isNeeded) problems.push(`${name}: it was not tried`);
    if (seen.length === 0 && !expected.isNeeded) untried.push(name);
    for (const { effects, detail } of seen) {
      const problem = problemOf(expected, effects);
      if (problem !== null) problems.push(`${name}: ${problem}${detail === '' ? '' : ` (${detail})`}`);
    }
  }
  return { isPassed: problems.length === 0, problems, untried };
}

function problemOf({ effects: wanted, tooMany, tooFew }: Expectation, effects: number | null): string | null {
  if (effects === null || !Number.isInteger(effects)) return 'the number of effects could not be read';
  if (effects === wanted) return null;
  return effects > wanted ? tooMany : tooFew;
}

const contractSchema = z.object({
  /** Name of the tool in the ledger. */
  tool: z.string(),
  /** `definitionHash` of the tool as it was tested; another version is another tool. */
  definition: z.string(),
  testedAtMs: z.number(),
  isPassed: z.boolean(),
  problems: z.array(z.string()),
  /** One line a case: what was seen. */
  evidence: z.array(z.string()),
});
const documentSchema = z.object({ version: z.literal(1), contracts: z.array(contractSchema) });

/** A tested claim as it is kept. */
export type ToolContract = z.infer<typeof contractSchema>;

/** Name of the store's document that holds the contracts. */
export const CONTRACTS_DOCUMENT = 'tool-contracts';

/** SHA-256 of the tool's definition (its schema, version, command: any JSON value) in canonical form. */
export function definitionHash(definition: unknown): string {
  return sha256Hex(canonicalText(definition));
}

/** The kept contracts; none where the text is missing, damaged or of another version: then no claim is believed. */
export function readContracts(text: string | null): readonly ToolContract[] {
  if (text === null) return [];
  try {
    const parsed = documentSchema.safeParse(JSON.parse(text));
    return parsed.success ? parsed.data.contracts : [];
  } catch {
    // Not JSON.
    return [];
  }
}

/** The document with one more contract, which takes the place of an older one of the same tool and definition. */
export function withContract(contracts: readonly ToolContract[], added: ToolContract): string {
  const others = contracts.filter(({ tool, definition }) => tool !== added.tool || definition !== added.definition);
  return canonicalText({ version: 1, contracts: [...others, added] });
}

/** A tool whose claim is weighed. */
export interface ClaimingTool {
  readonly name: string;
  /** `definitionHash` of the tool as it is now. */
  readonly definition: string;
  /** Whether a probe can tell afterwards if an effect of it happened. */
  readonly hasProbe: boolean;
}

/**
 * The level that a claim is worth: R1 only with a passed contract of exactly this tool and definition, else R2 where a probe
 * exists, else R3. Other claims are not about keys and stay as they are.
 */
export function believedLevel(
  { name, definition, hasProbe }: ClaimingTool,
  claimed: EffectLevel,
  contracts: readonly ToolContract[],
): EffectLevel {
  if (claimed !== 'R1') return claimed;
  const own = contracts.filter((contract) => contract.tool === name && contract.definition === definition);
  if (own.length > 0 && own.every(({ isPassed }) => isPassed)) return 'R1';
  return hasProbe ? 'R2' : 'R3';
}
