// `belay doctor`: is this machine ready? Node, the ledger, and every configured provider asked for its models with its key.
// Each line says what is so and, where it is not well, what to do. It changes nothing and never shows a key.
import { access, constants, mkdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { probeProvider } from '../adapters/providers/probeProvider.ts';
import { sqliteStore } from '../adapters/stores/sqliteStore.ts';
import { realClock } from '../adapters/time/realClock.ts';
import { candidatesOf } from '../core/routes.ts';
import { parseSettings, type Settings } from '../core/settings.ts';
import { classify } from '../core/faults/classify.ts';
import { faultWords } from '../core/words.ts';
import { readConfigFile } from './configFile.ts';
import type { CommandIo } from './io.ts';
import { keyVariable } from '../core/providers/keys.ts';
import { dataDirectory, environmentSecrets } from './ports.ts';

/** One finding. */
interface Finding {
  readonly check: string;
  readonly isGood: boolean;
  readonly message: string;
  readonly remedy: string;
}

const PROBE_TIMEOUT_MS = 10_000;

/** Exit code 0 when all is well, 1 when something is not, 2 for an unreadable configuration. */
export async function doctorCommand(
  options: { readonly config?: string; readonly json?: boolean },
  cwd: string,
  io: CommandIo,
): Promise<number> {
  const read =
    options.config === undefined
      ? { settings: parseSettings({}).settings, problems: [] }
      : await readConfig(resolve(cwd, options.config));
  if (!read.settings) {
    for (const problem of read.problems) io.err(problem);
    return 2;
  }
  const findings: Finding[] = [
    nodeFinding(),
    await storeFinding(),
    ...read.problems.map(settingFinding),
    ...(await providerFindings(read.settings)),
  ];
  for (const finding of findings) {
    if (options.json === true) io.out(JSON.stringify(finding));
    else
      io.out(
        `${finding.isGood ? '✓' : '✕'} ${finding.check}: ${finding.message}${finding.remedy === '' ? '' : `\n    ${finding.remedy}`}`,
      );
  }
  return findings.every((finding) => finding.isGood) ? 0 : 1;
}

async function readConfig(
  path: string,
): Promise<{ readonly settings: Settings | null; readonly problems: readonly string[] }> {
  try {
    const file = readConfigFile(await readFile(path, 'utf8'), path, process.env);
    return file.ok
      ? { settings: file.value.settings, problems: file.value.warnings }
      : { settings: null, problems: file.error };
  } catch {
    return { settings: null, problems: [`${path}: cannot be read; name an existing file with --config`] };
  }
}

function nodeFinding(): Finding {
  return { check: 'node', isGood: true, message: `Node ${process.versions.node} on ${process.platform}`, remedy: '' };
}

const settingFinding = (problem: string): Finding => ({
  check: 'settings',
  isGood: false,
  message: problem,
  remedy: 'Mend it in the configuration file.',
});

async function storeFinding(): Promise<Finding> {
  const directory = dataDirectory(process.env);
  const file = join(directory, 'belay.db');
  try {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    await access(directory, constants.W_OK);
  } catch {
    return {
      check: 'ledger',
      isGood: false,
      message: `${directory} cannot be written`,
      remedy: 'Give yourself write access to it, or set XDG_DATA_HOME to a folder of your own.',
    };
  }
  const store = sqliteStore({ file });
  const open = await store.entries({ state: 'UNKNOWN' });
  await store.close();
  if (!open.ok) return { check: 'ledger', isGood: false, message: open.error.message, remedy: '' };
  const { length } = open.value;
  if (length === 0)
    return { check: 'ledger', isGood: true, message: `${file} opens, nothing is unsettled`, remedy: '' };
  return {
    check: 'ledger',
    isGood: false,
    message: `${file}: ${length} effects may have happened`,
    remedy: 'Look at each before the same thing is done again.',
  };
}

async function providerFindings(settings: Settings): Promise<readonly Finding[]> {
  if (settings.providers.length === 0) {
    return [
      {
        check: 'providers',
        isGood: true,
        message: 'none configured',
        remedy: 'Name a configuration file with --config, or use "Belay: Add Provider" in VS Code.',
      },
    ];
  }
  const clock = realClock();
  const secrets = environmentSecrets(settings, process.env);
  const places = new Map(
    candidatesOf(settings).map((candidate) => [
      `${candidate.providerId}/${candidate.account}@${candidate.region}`,
      candidate,
    ]),
  );
  return Promise.all(
    [...places].map(async ([place, candidate]): Promise<Finding> => {
      const check = `provider ${place}`;
      const provider = settings.providers.find(
        (each) => each.id === candidate.providerId && each.account === candidate.account,
      );
      const key = await secrets(candidate.providerId, candidate.account);
      if (key === null) {
        const variable = provider ? keyVariable(provider) : null;
        const remedy =
          variable === null
            ? 'Name its environment variable in keyEnv, or set keyless: true.'
            : `Set the environment variable ${variable}.`;
        return { check, isGood: false, message: 'no key', remedy };
      }
      const probe = await probeProvider({
        kind: candidate.kind,
        baseUrl: candidate.baseUrl,
        key,
        signal: AbortSignal.timeout(PROBE_TIMEOUT_MS),
        clock,
      });
      if (probe.ok)
        return {
          check,
          isGood: true,
          message: `${probe.value.models.length} models, answered in ${Math.round(probe.value.latencyMs)} ms`,
          remedy: '',
        };
      const fault = classify(probe.error, clock.nowMs());
      const status = probe.error.httpStatus === null ? 'no answer' : `status ${probe.error.httpStatus}`;
      return {
        check,
        isGood: false,
        message: `${faultWords[fault.class]} (${fault.class}), ${status} from ${candidate.baseUrl}`,
        remedy: remedyFor(fault.class),
      };
    }),
  );
}

function remedyFor(faultClass: string): string {
  if (faultClass === 'T7') return 'Check the key and that its account may use this provider.';
  if (faultClass === 'T2') return 'Wait, or check the quota of the account.';
  return 'Check baseUrl, the network and whether the provider is up.';
}
