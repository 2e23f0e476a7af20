// `belay doctor`: is this machine ready? Node, the ledger, the network, every configured provider asked for its models, and the
// checks that a result in this folder would have to pass.
// Each line says what is so and, where it is not well, what to do. It changes nothing and never shows a key.
import { access, constants } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolders } from '../adapters/files/makeFolders.ts';
import { sqliteStore } from '../adapters/stores/sqliteStore.ts';
import { realClock } from '../adapters/time/realClock.ts';
import { modelCatalogue } from '../core/catalogue/modelCatalogue.ts';
import { candidatesOf } from '../core/routes.ts';
import { parseSettings, type Settings } from '../core/settings.ts';
import type { ConfigFile } from './configFile.ts';
import { readConfig } from './readConfig.ts';
import { breakerFindings } from './doctorBreakers.ts';
import { checkFindings } from './doctorChecks.ts';
import { networkFindings, unusedKeys } from './doctorEnvironment.ts';
import { providerFindings } from './doctorProviders.ts';
import { doctorJson, doctorText, finding, type Finding } from './doctorText.ts';
import type { CommandIo } from './io.ts';
import { commandLineTransport, dataDirectory } from './ports.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** What is checked: the file's settings, or none at all. */
type Checked = Pick<ConfigFile, 'settings' | 'raw' | 'placeOf'>;

/** Exit code 0 when all is well, 1 when something is not, 2 for an unreadable configuration. */
export async function doctorCommand(
  options: { readonly config?: string; readonly json?: boolean },
  cwd: string,
  io: CommandIo,
  environment: Environment = process.env,
): Promise<number> {
  const { config } = options;
  const nothing: Checked = { settings: parseSettings({}).settings, raw: {}, placeOf: (setting) => setting };
  const read =
    config === undefined ? { ok: true as const, value: nothing } : await readConfig(config, environment, cwd);
  if (!read.ok) {
    for (const problem of read.error) io.err(problem);
    return 2;
  }
  const { settings, raw, placeOf } = read.value;
  const transport = commandLineTransport(environment);
  const candidates = candidatesOf(settings, modelCatalogue);
  const findings: readonly Finding[] = [
    finding('node', 'good', `${process.versions.node} on ${process.platform}`),
    ...(await storeFindings(environment, settings)),
    ...networkFindings(environment),
    ...(await providerFindings({
      settings,
      raw: raw['belay.providers'],
      candidates,
      environment,
      transport: transport.ok ? transport.value : null,
      clock: realClock(),
    })),
    ...unusedKeys(settings, environment),
    ...(await checkFindings(settings, cwd, environment)),
  ];
  const lines = options.json === true ? doctorJson(findings, placeOf) : doctorText(findings, placeOf);
  for (const line of lines) io.out(line);
  return findings.some(({ status }) => status === 'bad') ? 1 : 0;
}

/** The ledger, and which breakers it holds that are not closed. */
async function storeFindings(environment: Environment, settings: Settings): Promise<readonly Finding[]> {
  const directory = dataDirectory(environment);
  const file = join(directory, 'belay.db');
  try {
    await makeFolders(directory, { mode: 0o700 });
    await access(directory, constants.W_OK);
  } catch {
    const remedy = 'Give yourself write access to it, or set XDG_DATA_HOME to a folder of your own.';
    return [finding('ledger', 'bad', `${directory} cannot be written`, remedy)];
  }
  const store = sqliteStore({ file });
  const open = await store.entries({ state: 'UNKNOWN' });
  const breakers = open.ok ? await breakerFindings(store, settings.advanced.breaker, Date.now()) : [];
  await store.close();
  if (!open.ok) return [finding('ledger', 'bad', open.error.message)];
  return [ledgerFinding(file, open.value.length), ...breakers];
}

function ledgerFinding(file: string, length: number): Finding {
  if (length === 0) return finding('ledger', 'good', `${file} opens, nothing is unsettled`);
  const effects = length === 1 ? '1 effect' : `${length} effects`;
  return finding(
    'ledger',
    'bad',
    `${file}: ${effects} may have happened`,
    'Look at each before the same thing is done again.',
  );
}
