// The level of a tool that is not Belay's own: from what a person declared of it, else from its MCP annotations (DESIGN, fixed
// semantics 8), and R3 where neither says enough. A claim of R1 is worth what its contract test proved
// (core/ledger/toolContract.ts). Annotations are the server's own words: they never make a destructive tool look harmless.
import type { EffectLevel } from '../ledger/entry.ts';
import { believedLevel } from '../ledger/toolContract.ts';
import type { ToolContract } from '../ledger/toolContract.ts';
import type { Assessment } from './assessment.ts';
import { emptyFindings, note, toAssessment } from './effects.ts';

/** MCP tool annotations; absent ones have the defaults of the MCP specification: it writes, and it may destroy. */
export interface ToolAnnotations {
  readonly readOnlyHint?: boolean;
  readonly destructiveHint?: boolean;
  readonly idempotentHint?: boolean;
}

/** A foreign tool as it is known. */
export interface ForeignTool {
  /** `definitionHash` of its schema and version: a contract holds for exactly this one. */
  readonly definition: string;
  readonly annotations?: ToolAnnotations;
  /** The level that a person declared for it. */
  readonly declared?: EffectLevel;
  /** Whether a probe can tell afterwards if an effect of it happened. */
  readonly hasProbe: boolean;
  /** Every tested contract. */
  readonly contracts: readonly ToolContract[];
}

/** Levels one call of a foreign tool. */
export function assessForeignTool(name: string, tool: ForeignTool): Assessment {
  const { level: claimed, by } = claimOf(tool);
  const { definition, hasProbe, contracts } = tool;
  const level = believedLevel({ name, definition, hasProbe }, claimed, contracts);
  const doubt =
    claimed === 'R1' && level !== 'R1'
      ? `; that the same key does nothing twice was not proved of this version (belay ledger contract --tool ${name.slice(0, 80).toWellFormed()})`
      : '';
  const findings = emptyFindings();
  const kind = level === 'R0' ? 'read-service' : level === 'R3' ? 'unknown-program' : 'change-service';
  note(findings, { level, reason: `${name.slice(0, 80).toWellFormed()} is ${claimed} ${by}${doubt}`, kind });
  return toAssessment(findings);
}

function claimOf({ declared, annotations, hasProbe }: ForeignTool): {
  readonly level: EffectLevel;
  readonly by: string;
} {
  if (declared !== undefined) return { level: declared, by: 'as a person declared' };
  const { readOnlyHint = false, destructiveHint = true, idempotentHint = false } = annotations ?? {};
  const by = 'by its annotations';
  if (annotations === undefined) return { level: 'R3', by: 'since nothing is known of it' };
  if (readOnlyHint) return { level: 'R0', by };
  if (destructiveHint) return { level: 'R3', by };
  if (idempotentHint) return { level: 'R1', by };
  return { level: hasProbe ? 'R2' : 'R3', by };
}
