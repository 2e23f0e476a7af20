// Runs in each extension host of the reloaded window, beside the packaged bundle: the packaged extension has no door of its
// own that runs a command, an agent comes with one. In the first host it asks for a command that takes some seconds; in every
// later one it only starts the engine, and asks for the same command again when it is told to.
import { existsSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import * as vscode from 'vscode';
import { assess } from '../../../src/core/guard/assess.ts';
import { runGuardedCommand } from '../../../src/engine/guardedCommand.ts';
import { surface } from '../suite/support.ts';

const POLL_MS = 50;

/** Never resolves: the window's host ends by the reload. */
export async function run(): Promise<void> {
  const { folder = '', command = '' } = readScene();
  const at = (name: string): string => path.join(folder, name);
  const isReloaded = existsSync(at('asked'));
  if (isReloaded) {
    // The engine alone tells what may have happened.
    await (await surface()).engine();
    writeFileSync(at('reloaded'), '');
    while (!existsSync(at('ask-again'))) await sleep(POLL_MS);
  }
  writeFileSync(at('asked'), '');
  const answer = JSON.stringify(await ask(command));
  // Whole at once for whoever waits for it.
  writeFileSync(at('answer.tmp'), answer);
  renameSync(at('answer.tmp'), at(isReloaded ? 'answer-again.json' : 'answer.json'));
  await new Promise(() => undefined);
}

function readScene(): { readonly folder?: string; readonly command?: string } {
  const text = process.env.BELAY_RELOAD_SCENE ?? '{}';
  // Written by reload.mjs.
  return JSON.parse(text) as { readonly folder?: string; readonly command?: string };
}

async function ask(command: string): Promise<unknown> {
  const { ports, clock } = await (await surface()).engine();
  const workspace = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? '';
  const { text, state, ran } = await runGuardedCommand(ports, {
    context: {
      tenant: 'local',
      client: 'reload',
      task: 'deploy',
      step: 1,
      role: 'coder',
      criticality: 'medium',
      qualityFloor: 0.8,
      deadlineMs: clock.nowMs() + 60_000,
    },
    command,
    shell: 'bash',
    cwd: workspace,
    workspace,
    assessment: assess({ shell: 'bash', command, cwd: workspace, workspace }),
    judgement: { verdict: 'allow' },
    timeoutMs: 60_000,
    env: { PATH: process.env.PATH ?? '' },
    signal: new AbortController().signal,
    emit: () => undefined,
  });
  return { text, state, ran };
}
