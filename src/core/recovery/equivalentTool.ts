// Which tool may be proposed in place of one that failed: the first of those that its contract names whose own contract fits
// (rules/contractAdapter.ts). Never for an irreversible write, by guard or by contract, and never one that is failing itself.
import type { EffectLevel } from '../ledger/entry.ts';
import type { ToolContracts } from '../settingsTools.ts';
import type { Alternate } from './decision.ts';
import { checkContract } from './rules/contractAdapter.ts';

/** A tool that may stand in, with how it is used in a person's words. */
export interface EquivalentTool {
  readonly tool: string;
  readonly hint: string;
  readonly match: Alternate['match'];
}

/**
 * @param name the tool that failed
 * @param level what the action is, as the guard says; a contract that claims less is not believed
 */
export function equivalentTool(
  contracts: ToolContracts,
  name: string,
  level: EffectLevel,
  isFailing: (tool: string) => boolean,
): EquivalentTool | null {
  const original = Object.hasOwn(contracts, name) ? contracts[name] : undefined;
  // What the guard calls R3 has a contract of R3 too, or one that claims less.
  if (!original || original.level === 'R3' || original.level < level) return null;
  for (const { tool, hint, takes, gives } of original.equivalents) {
    const substitute = Object.hasOwn(contracts, tool) ? contracts[tool] : undefined;
    if (!substitute || tool === name || isFailing(tool)) continue;
    const { match } = checkContract(original, substitute, { takes, gives });
    if (match !== 'unusable') return { tool, hint, match };
  }
  return null;
}

/** A word that a shell understands by itself is no program of its own. */
const ASSIGNMENT = /^[A-Za-z_]\w*=\S*$/;

/** bash, dash, ksh: `x: command not found`, `x: not found`. */
const NAME_FIRST = /(?:^|[\s:])([\w.+-]+): (?:command )?not found\b/;
/** zsh: `zsh:1: command not found: x`; fish: `fish: Unknown command: x`. */
const NAME_LAST = /: (?:command not found|Unknown command): ([\w.+-]+)/;

/**
 * The program a command's words start, without its folder; of one that is not there the shell's own message names it.
 * '' where the words begin with none.
 * @param stderr of a command that ended with 127 (not found); '' of every other, whose words may be anybody's
 */
export function programOf(command: string | readonly string[], stderr: string): string {
  const missing = (NAME_LAST.exec(stderr) ?? NAME_FIRST.exec(stderr))?.[1];
  if (missing !== undefined) return missing;
  const words = typeof command === 'string' ? command.trim().split(/\s+/) : command;
  const word = words.find((each) => !ASSIGNMENT.test(each)) ?? '';
  const program = word.split(/[\\/]/).at(-1) ?? '';
  return /^[\w.+-]+$/.test(program) ? program : '';
}
