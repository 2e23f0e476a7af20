import assert from 'node:assert/strict';
import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import * as vscode from 'vscode';
import type { RequestContext } from '../../../src/core/context.ts';
import type { EventBody } from '../../../src/core/events.ts';
import { assess } from '../../../src/core/guard/assess.ts';
import type { Judgement } from '../../../src/engine/effectFlow.ts';
import { runGuardedCommand, type CommandOutcome } from '../../../src/engine/guardedCommand.ts';
import { applyGuardedEdit, type EditOutcome } from '../../../src/engine/guardedEdit.ts';
import { PLAIN_FORMAT } from '../../../src/core/edits/textFormat.ts';
import { surface, waitFor } from './support.ts';

const allow: Judgement = { verdict: 'allow' };
const TASK = `host-test-${process.pid}`;

function root(): string {
  const folder = vscode.workspace.workspaceFolders?.[0];
  if (!folder) throw new Error('the host tests need a workspace folder');
  return folder.uri.fsPath;
}

async function context(step: number): Promise<RequestContext> {
  const { clock } = await (await surface()).engine();
  return {
    tenant: 'local',
    client: 'host-test',
    task: TASK,
    step,
    role: 'coder',
    criticality: 'medium',
    qualityFloor: 0.8,
    deadlineMs: clock.nowMs() + 60_000,
  };
}

async function run(
  step: number,
  command: string,
  judgement: Judgement,
  emit: (body: EventBody) => void = () => undefined,
): Promise<CommandOutcome> {
  const { ports } = await (await surface()).engine();
  const workspace = root();
  const assessment = assess({ shell: 'bash', command, cwd: workspace, workspace });
  const env = { PATH: process.env.PATH ?? '' };
  return runGuardedCommand(ports, {
    context: await context(step),
    command,
    shell: 'bash',
    cwd: workspace,
    workspace,
    assessment,
    judgement,
    timeoutMs: 20_000,
    env,
    signal: new AbortController().signal,
    emit,
  });
}

async function edit(
  step: number,
  file: string,
  search: string,
  replace: string,
  judgement = allow,
): Promise<EditOutcome> {
  const { ports } = await (await surface()).engine();
  return applyGuardedEdit(ports, {
    context: await context(step),
    path: file,
    search,
    replace,
    judgement,
    signal: new AbortController().signal,
    emit: () => undefined,
  });
}

describe('a guarded edit in the real host', () => {
  const name = 'guarded-edit.txt';
  const file = (): string => path.join(root(), name);

  const START = 'one\ntwo\nthree\n';
  beforeEach(() => writeFile(file(), START));
  /** The file in an editor, as it is on the disk: what the test before left in the buffer may come back with it. */
  const opened = async (): Promise<vscode.TextDocument> => {
    const document = await vscode.workspace.openTextDocument(file());
    await vscode.window.showTextDocument(document);
    return waitFor('the editor to show what is on the disk', async () => {
      if (document.getText() === START && !document.isDirty) return document;
      await vscode.commands.executeCommand('workbench.action.files.revert');
      return undefined;
    });
  };
  afterEach(async () => {
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    await rm(file(), { force: true });
  });

  it('changes the file and leaves a COMMITTED entry in the ledger', async () => {
    const outcome = await edit(1, name, 'two', 'TWO');
    assert.equal(outcome.state, 'COMMITTED');
    assert.equal(await readFile(file(), 'utf8'), 'one\nTWO\nthree\n');
    const { ports } = await (await surface()).engine();
    const entry = await ports.store.entry(outcome.key);
    assert.ok(entry.ok);
    assert.deepEqual([entry.value?.state, entry.value?.level, entry.value?.paths], ['COMMITTED', 'R2', [name]]);
  });

  it('goes through the editor where the file is open, as one undoable change that is saved', async () => {
    const document = await opened();
    await vscode.window.showTextDocument(document);
    const outcome = await edit(2, name, 'two', 'zwei');
    assert.equal(outcome.state, 'COMMITTED', outcome.reason);
    assert.equal(document.getText(), 'one\nzwei\nthree\n');
    assert.equal(document.isDirty, false);
    assert.equal(await readFile(file(), 'utf8'), 'one\nzwei\nthree\n');
    await vscode.commands.executeCommand('undo');
    assert.equal(document.getText(), 'one\ntwo\nthree\n');
    await document.save();
  });

  it('keeps what a person has typed and not saved', async () => {
    const document = await opened();
    const editor = await vscode.window.showTextDocument(document);
    await editor.edit((builder) => builder.insert(new vscode.Position(0, 0), 'typed\n'));
    assert.equal(document.isDirty, true);
    const outcome = await edit(3, name, 'three', 'drei');
    const isWritten = outcome.state === 'COMMITTED';
    assert.equal(
      document.getText(),
      isWritten ? 'typed\none\ntwo\ndrei\n' : 'typed\none\ntwo\nthree\n',
      outcome.reason,
    );
    assert.equal(await readFile(file(), 'utf8'), isWritten ? 'typed\none\ntwo\ndrei\n' : 'one\ntwo\nthree\n');
    await document.save();
  });

  it('made on the disk text is merged into what a person has typed and not saved', async () => {
    const document = await opened();
    const editor = await vscode.window.showTextDocument(document);
    await editor.edit((builder) => builder.insert(new vscode.Position(0, 0), 'typed\n'));
    const { ports } = await (await surface()).engine();
    const found = await ports.files.look(name);
    assert.ok(found.ok);
    const content = { kind: 'text', text: 'one\ntwo\nDREI\n', format: PLAIN_FORMAT } as const;
    const write = { kind: 'write', path: name, content, expectedHash: found.value.hash } as const;
    const applied = await ports.files.apply([write]);
    assert.equal(applied.ok, true, applied.error ?? '');
    assert.equal(document.getText(), 'typed\none\ntwo\nDREI\n');
    assert.equal(await readFile(file(), 'utf8'), 'typed\none\ntwo\nDREI\n');
  });

  it('at the same lines as unsaved work is refused, and neither is lost', async () => {
    const document = await opened();
    const editor = await vscode.window.showTextDocument(document);
    await editor.edit((builder) => builder.replace(new vscode.Range(2, 0, 2, 5), 'typed'));
    const { ports } = await (await surface()).engine();
    const found = await ports.files.look(name);
    assert.ok(found.ok);
    const content = { kind: 'text', text: 'one\ntwo\nDREI\n', format: PLAIN_FORMAT } as const;
    const applied = await ports.files.apply([{ kind: 'write', path: name, content, expectedHash: found.value.hash }]);
    assert.equal(applied.ok, false);
    assert.match(applied.error ?? '', /unsaved changes/);
    assert.equal(document.getText(), 'one\ntwo\ntyped\n');
    assert.equal(await readFile(file(), 'utf8'), 'one\ntwo\nthree\n');
    await vscode.commands.executeCommand('workbench.action.files.revert');
  });

  it('of an open and a closed file is made in both or in none', async () => {
    const other = 'guarded-other.txt';
    const otherFile = path.join(root(), other);
    await writeFile(otherFile, 'one\n');
    try {
      const document = await opened();
      await vscode.window.showTextDocument(document);
      const { ports } = await (await surface()).engine();
      const [open, closed] = [await ports.files.look(name), await ports.files.look(other)];
      assert.ok(open.ok && closed.ok);
      const text = (value: string) => ({ kind: 'text', text: value, format: PLAIN_FORMAT }) as const;
      const write = (file: string, value: string, expectedHash: string | null) =>
        ({ kind: 'write', path: file, content: text(value), expectedHash }) as const;
      const stale = await ports.files.apply([
        write(name, 'changed\n', open.value.hash),
        write(other, 'changed\n', '0'.repeat(64)),
      ]);
      assert.equal(stale.ok, false);
      assert.deepEqual(
        [document.getText(), await readFile(file(), 'utf8'), await readFile(otherFile, 'utf8')],
        ['one\ntwo\nthree\n', 'one\ntwo\nthree\n', 'one\n'],
      );
      const both = await ports.files.apply([
        write(name, 'changed\n', open.value.hash),
        write(other, 'changed\n', closed.value.hash),
      ]);
      assert.equal(both.ok, true, both.error ?? '');
      assert.deepEqual(
        [document.getText(), await readFile(file(), 'utf8'), await readFile(otherFile, 'utf8')],
        ['changed\n', 'changed\n', 'changed\n'],
      );
    } finally {
      await rm(otherFile, { force: true });
    }
  });

  it('leaves every byte alone where the text is not there', async () => {
    const outcome = await edit(4, name, 'seven', 'SEVEN');
    assert.equal(outcome.isError, true);
    assert.equal(outcome.ran, false);
    assert.equal(await readFile(file(), 'utf8'), 'one\ntwo\nthree\n');
  });
});

describe('a guarded command in the real host', () => {
  const name = 'guarded-command.txt';
  const file = (): string => path.join(root(), name);
  afterEach(() => rm(file(), { force: true }));

  it('runs once, is COMMITTED, and is not run again for the same step', async () => {
    const first = await run(10, `echo line >> ${name}`, allow);
    assert.deepEqual([first.state, first.ran, first.exitCode], ['COMMITTED', true, 0], first.reason);
    const second = await run(10, `echo line >> ${name}`, allow);
    assert.deepEqual([second.state, second.ran], ['COMMITTED', false], second.reason);
    assert.equal(await readFile(file(), 'utf8'), 'line\n');
  });

  it('is seen in the terminal "Belay" and needs no shell integration to be known', async () => {
    const outcome = await run(13, `printf 'seen\\n'; echo line >> ${name}`, allow);
    assert.deepEqual([outcome.ran, outcome.exitCode], [true, 0], outcome.reason);
    const terminal = vscode.window.terminals.find((one) => one.name === 'Belay');
    assert.ok(terminal, 'no terminal is open');
    // The terminal is a view without a shell: there is nothing whose integration could be slow, and nothing to run twice.
    assert.equal(terminal.shellIntegration, undefined);
    assert.equal((await terminal.processId) ?? -1, -1);
    assert.equal(await readFile(file(), 'utf8'), 'line\n');
  });

  it('whose terminal is closed while it runs is stopped, told as unknown and not run again', async () => {
    const command = `echo line >> ${name}; sleep 30`;
    const running = run(14, command, allow);
    await waitFor('the first line', async () =>
      (await readFile(file(), 'utf8').catch(() => '')) === '' ? undefined : true,
    );
    vscode.window.terminals.find((one) => one.name === 'Belay')?.dispose();
    const outcome = await running;
    assert.ok(outcome.state === 'UNKNOWN' || outcome.state === 'RECONCILED_COMMITTED', `${outcome.state}`);
    assert.doesNotMatch(outcome.text, /no changes/i);
    const again = await run(14, command, allow);
    assert.equal(again.ran, false, again.reason);
    assert.equal(await readFile(file(), 'utf8'), 'line\n');
  });

  it('is not run when the dialog gives no clear yes', async () => {
    const events: string[] = [];
    // The test host refuses modal dialogs: whatever comes of that must be a deny.
    const outcome = await run(11, `echo never > ${name}`, { verdict: 'ask' }, (body) => events.push(body.type));
    assert.deepEqual([outcome.result, outcome.ran], ['refused', false]);
    assert.ok(events.includes('question-asked') && events.includes('question-answered'), events.join());
    await assert.rejects(readFile(file()));
  });

  it('is not run when the guard says deny', async () => {
    const outcome = await run(12, `rm -rf ${name}`, { verdict: 'deny', reasons: ['test'] });
    assert.deepEqual([outcome.result, outcome.ran, outcome.level], ['refused', false, 'R3']);
  });
});
