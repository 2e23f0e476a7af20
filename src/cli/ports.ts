// The ports of the command line: keys from the environment, the ledger in the user's data folder, commands through the gate,
// and nobody to ask: what needs a person is denied.
import { homedir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { belayIgnore } from '../adapters/files/belayIgnore.ts';
import { makeFolders } from '../adapters/files/makeFolders.ts';
import { workspaceFiles } from '../adapters/files/workspaceFiles.ts';
import { gatedCommands } from '../adapters/process/gatedCommands.ts';
import { createProviders, type Secrets } from '../adapters/providers/createProviders.ts';
import { environmentTransport, plainTransport, type Transport } from '../adapters/providers/transport.ts';
import { sqliteStore } from '../adapters/stores/sqliteStore.ts';
import { realClock, realRandom } from '../adapters/time/realClock.ts';
import { workspaceVerifiers } from '../adapters/verifiers/workspaceVerifiers.ts';
import { authOf, keyVariable } from '../core/providers/keys.ts';
import type { Settings } from '../core/settings.ts';
import type { Answer, ApprovalPort, Ports, Result } from '../engine/ports.ts';

/** Where Belay keeps its data when no file is named: `$XDG_DATA_HOME/belay`, else `~/.local/share/belay`. */
export function dataDirectory(environment: Readonly<Record<string, string | undefined>>): string {
  const base = environment.XDG_DATA_HOME;
  return join(base !== undefined && base !== '' ? base : join(homedir(), '.local', 'share'), 'belay');
}

/** Keys by the variables that the settings name. */
export function environmentSecrets(
  settings: Settings,
  environment: Readonly<Record<string, string | undefined>>,
): Secrets {
  return (providerId, account) => {
    const provider = settings.providers.find((each) => each.id === providerId && each.account === account);
    if (!provider) return Promise.resolve(null);
    if (authOf(provider) !== 'key') return Promise.resolve('');
    const variable = keyVariable(provider);
    const key = variable === null ? undefined : environment[variable]?.trim();
    return Promise.resolve(key === undefined || key === '' ? null : key);
  };
}

/** The way to the network by the usual variables of proxies and authorities, or which of them cannot be used and why. */
export function commandLineTransport(
  environment: Readonly<Record<string, string | undefined>>,
): Result<Transport, string> {
  try {
    return { ok: true, value: environmentTransport(environment) };
  } catch (error) {
    return { ok: false, error: error instanceof Error ? error.message : 'the proxy settings cannot be used' };
  }
}

/** The answer of the command line to every write whose ledger cannot be used, whatever else it may do unasked. */
export const NO_LEDGER: Answer = {
  choice: 'deny',
  note: 'only a person may allow that, and nobody can be asked on the command line. Mend the ledger or name another one, then run it again',
  by: 'the command line',
};

/** Nobody is there to answer. */
export const denyAll: ApprovalPort = {
  hasPerson: false,
  ask: ({ kind }) =>
    Promise.resolve(
      kind === 'ledger-trouble'
        ? NO_LEDGER
        : { choice: 'deny', note: 'nobody can be asked on the command line', by: 'belay', isUnanswered: true },
    ),
};

/** Builds the ports; makes the data folder. `transport`: how providers are reached, where any are. */
export async function commandLinePorts(
  settings: Settings,
  environment: Readonly<Record<string, string | undefined>>,
  workspace: string,
  transport: Transport = plainTransport,
): Promise<Ports> {
  const data = dataDirectory(environment);
  await makeFolders(data, { mode: 0o700 });
  const place = ledgerPlace(environment, null);
  return {
    clock: realClock(),
    random: realRandom(),
    provider: createProviders({ secrets: environmentSecrets(settings, environment), transport }),
    store: sqliteStore({ file: place.db }),
    command: gatedCommands({ directory: place.gate }),
    files: workspaceFiles({ root: workspace, beforeDirectory: place.before }),
    approval: denyAll,
    events: { emit: () => undefined },
    workspace: { key: workspace, name: basename(workspace) },
    ignore: belayIgnore(() => [workspace]),
    // Whoever names a folder on the command line trusts it.
    verifier: workspaceVerifiers(() => true),
  };
}

const LEDGER_NAME = 'belay.db';

/** Where a ledger is and what belongs to it: `--db FILE`, or the ledger in Belay's data folder. */
export interface LedgerPlace {
  readonly db: string;
  readonly before: string;
  readonly gate: string;
}

/**
 * The files of a ledger. `db` is absolute; null: the usual one. A `belay.db` has them in `before` and `gate` beside it, as
 * the extension writes them; beside any other name several ledgers may lie, so each has its own.
 */
export function ledgerPlace(environment: Readonly<Record<string, string | undefined>>, db: string | null): LedgerPlace {
  const file = db ?? join(dataDirectory(environment), LEDGER_NAME);
  if (basename(file) !== LEDGER_NAME) return { db: file, before: `${file}.before`, gate: `${file}.gate` };
  return { db: file, before: join(dirname(file), 'before'), gate: join(dirname(file), 'gate') };
}

/** The ports of an effect on that ledger and workspace. `isReading`: nothing is made or written. */
export function ledgerPorts(
  place: LedgerPlace,
  workspace: string,
  approval: ApprovalPort,
  isReading: boolean,
): Pick<Ports, 'clock' | 'store' | 'command' | 'files' | 'approval'> {
  return {
    clock: realClock(),
    store: sqliteStore({ file: place.db, readOnly: isReading }),
    command: gatedCommands({ directory: place.gate }),
    files: workspaceFiles({ root: workspace, beforeDirectory: place.before }),
    approval,
  };
}
