// A probe's query: a read-only program that is run to see whether an effect took place. It is not gated and not recorded,
// so it must neither ask anybody nor be led elsewhere by the environment: it gets a clean one, no input and no terminal.
// Not having an answer is an answer here ("unknown"); a wrong one would be believed.
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { StringDecoder } from 'node:string_decoder';
import type { ProbeQuery, Result } from '../../engine/ports.ts';
import { killGroup } from './processGroup.ts';
import { argvOf } from './programs.ts';

const MAX_OUTPUT_BYTES = 1024 * 1024;
/** How long output may still arrive after the end when something keeps it open. */
const DRAIN_MS = 250;

/**
 * What a query may know of the caller's environment: where programs and settings are, how to reach the network, and the
 * agent that holds the keys. Nothing of git's own (GIT_DIR and friends would lead it to another repository).
 */
const KEPT = [
  ['PATH', 'HOME', 'XDG_CONFIG_HOME', 'TMPDIR', 'SSH_AUTH_SOCK'],
  ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'NO_PROXY', 'http_proxy', 'https_proxy', 'all_proxy', 'no_proxy'],
  ['SystemRoot', 'ComSpec', 'PATHEXT', 'USERPROFILE', 'APPDATA', 'LOCALAPPDATA', 'ProgramData', 'TEMP', 'TMP'],
].flat();

/** Answers no question, takes no lock, and speaks one language whatever the person's is. */
const FIXED: Readonly<Record<string, string>> = {
  LANG: 'C.UTF-8',
  GIT_TERMINAL_PROMPT: '0',
  GIT_OPTIONAL_LOCKS: '0',
  GIT_PAGER: '',
  GIT_ASKPASS: 'false',
  SSH_ASKPASS: 'false',
  SSH_ASKPASS_REQUIRE: 'force',
  GCM_INTERACTIVE: 'never',
};

/** The environment of a query. */
export function queryEnvironment(own: Readonly<Record<string, string | undefined>>): Record<string, string> {
  // Names of variables differ in case between Windows machines.
  const names = new Map(Object.keys(own).map((name) => [name.toLowerCase(), name]));
  const kept = KEPT.flatMap((name): (readonly [string, string])[] => {
    const value = own[name] ?? own[names.get(name.toLowerCase()) ?? name];
    return value === undefined ? [] : [[name, value]];
  });
  return { ...Object.fromEntries(kept), ...FIXED };
}

type Answer = Result<{ readonly exitCode: number; readonly stdout: string }, string>;

/** Runs a query to its end or its time limit. Never rejects. */
export async function runQuery(
  { words, cwd, timeoutMs }: ProbeQuery,
  own: Readonly<Record<string, string | undefined>> = process.env,
): Promise<Answer> {
  const name = words[0] ?? '';
  const env = queryEnvironment(own);
  const argv = argvOf({ shell: 'none', command: words, cwd, env });
  if (!argv.ok) return argv;
  const [program = '', ...rest] = argv.value.words;
  const failed = (why: string): Answer => ({ ok: false, error: `${name} could not be asked: ${why}` });
  try {
    const child = spawn(program, rest, {
      cwd,
      env,
      detached: true,
      windowsHide: true,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const end = await endOf(child, timeoutMs);
    return typeof end === 'string' ? failed(end) : { ok: true, value: end };
  } catch (error) {
    return failed(error instanceof Error ? error.message : 'it could not be started');
  }
}

function endOf(
  child: ChildProcess,
  timeoutMs: number,
): Promise<{ readonly exitCode: number; readonly stdout: string } | string> {
  const kept: Buffer[] = [];
  let keptBytes = 0;
  child.stdout?.on('data', (bytes: Buffer) => {
    const room = bytes.subarray(0, MAX_OUTPUT_BYTES - keptBytes);
    if (room.length > 0) kept.push(room);
    keptBytes += room.length;
  });
  child.stdout?.on('error', () => undefined);
  return new Promise((resolve) => {
    let drain: NodeJS.Timeout | undefined;
    const finish = (end: Parameters<typeof resolve>[0]): void => {
      clearTimeout(limit);
      clearTimeout(drain);
      // Whatever still holds the pipe must not keep Belay alive.
      child.stdout?.destroy();
      resolve(end);
    };
    const limit = setTimeout(() => {
      if (child.pid !== undefined) killGroup(child.pid);
      finish(`it did not end within ${timeoutMs} ms`);
    }, timeoutMs);
    const ended = (code: number | null, by: NodeJS.Signals | null): void => {
      if (code === null) finish(`it was ended by ${by ?? 'an unknown signal'}`);
      else finish({ exitCode: code, stdout: new StringDecoder('utf8').write(Buffer.concat(kept)) });
    };
    child.once('error', (error) => finish(error.message));
    child.once('exit', (code, by) => {
      drain = setTimeout(() => ended(code, by), DRAIN_MS);
    });
    child.once('close', ended);
  });
}
