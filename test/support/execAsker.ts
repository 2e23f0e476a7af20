// A process that runs `belay exec` requests one after the other: a line of JSON in (an ExecRequest), its answer and exit code
// out. It stands for the second Belay, which lives, and spares the start of a process for each request.
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { execCommand } from '../../src/cli/exec.ts';

/** One request. */
export interface ExecRequest {
  readonly step: number;
  readonly command: string;
  readonly folder: string;
  readonly db: string;
}

for await (const line of createInterface({ input: process.stdin })) {
  // The test that starts this process writes the requests itself.
  const { step, command, folder, db } = JSON.parse(line) as ExecRequest;
  let printed = '';
  const io = { stdin: Readable.from([]), out: (text: string) => (printed = text), err: () => undefined };
  const run = { kind: 'text', text: command, shell: 'bash' } as const;
  const { signal } = new AbortController();
  const asked = { task: 'kill', step, run, cwd: folder, workspace: folder, db, yesUpTo: 'R3' as const };
  const exitCode = await execCommand({ ...asked, env: process.env, signal }, io);
  console.log(JSON.stringify({ exitCode, answer: printed }));
}
