// Builds the engine of this window: settings -> ports -> controller, and keeps it in step with the settings.
// Loaded when it is first needed. In an untrusted workspace nothing is sent, run or written.
import path from 'node:path';
import * as vscode from 'vscode';
import { modelCatalogue } from '../../core/catalogue/modelCatalogue.ts';
import type { SettingProblem, Settings } from '../../core/settings.ts';
import { redactSecrets } from '../../core/ledger/redact.ts';
import { createController, type Controller, withTidyLedger } from '../../engine/controller.ts';
import type { ClockPort, Ports } from '../../engine/ports.ts';
import { createProviders, type Secrets as ProviderSecrets } from '../providers/createProviders.ts';
import { sqliteStore } from '../stores/sqliteStore.ts';
import { realClock, realRandom } from '../time/realClock.ts';
import { workspaceVerifiers } from '../verifiers/workspaceVerifiers.ts';
import { editorTransport } from './editorTransport.ts';
import { CommandTerminal } from './commandTerminal.ts';
import { modalApprovals } from './approvals.ts';
import { disclosurePorts } from './disclosurePorts.ts';
import { eventSink } from './eventSink.ts';
import { editorSources } from './editorSources.ts';
import { guardDoors, LoopGuard } from './loopGuard.ts';
import type { Log } from './log.ts';
import { providerKey } from './providers/providerKey.ts';
import type { Secrets } from './secrets.ts';
import { ProblemReporter, readSettings } from './settingsSource.ts';
import { onlyTrusted } from './trust.ts';
import { recoverAtStart } from './unknownEffects.ts';
import { workspacePorts } from './workspacePorts.ts';

/** What an engine is made from. Both paths are absolute; `workerUrl` is the store's worker in the bundle. */
export interface EngineOptions {
  readonly secrets: Secrets;
  readonly log: Log;
  readonly storageDir: string;
  readonly workerUrl: URL;
}

/** A started engine with what its neighbours in the extension need of it. */
export interface RunningEngine {
  readonly controller: Controller;
  readonly clock: ClockPort;
  readonly ports: Ports;
  /** What is wrong with the settings as they are now. */
  readonly problems: () => readonly SettingProblem[];
  /** Folder that commands start in; null: none is open. */
  readonly workspace: string | null;
  /** Brings up the terminal that shows guarded commands. */
  readonly showCommands: () => void;
  /** Cancels calls, writes what waits, closes sockets, store and worker. */
  close(): Promise<void>;
}

/** Starts the engine. Settings that cannot be used are reported once, with the way to them. */
export async function startEngine({ secrets, log, storageDir, workerUrl }: EngineOptions): Promise<RunningEngine> {
  const reporter = new ProblemReporter();
  let parsed = readSettings();
  reporter.report(parsed.problems);

  const clock = realClock();
  const store = sqliteStore({ file: path.join(storageDir, 'belay.db'), workerUrl });
  const events = eventSink(store, log);
  const loops = new LoopGuard();
  const providers = createProviders({
    secrets: keysOf(secrets, log, () => parsed.settings),
    transport: editorTransport(),
    ...editorSources(loops),
  });
  const { root, files, command } = workspacePorts(storageDir);
  const terminal = new CommandTerminal((text) => log.redactor.redact(redactSecrets(text)));
  const ports: Ports = {
    ...onlyTrusted({ provider: providers, command: terminal.wrap(command), files }),
    clock,
    random: realRandom(),
    store,
    approval: modalApprovals(log),
    events,
    ...disclosurePorts(),
    verifier: workspaceVerifiers(() => vscode.workspace.isTrusted),
  };
  const tidied = withTidyLedger(
    ports,
    () => parsed.settings.advanced.ledger,
    (message) => log.warn(message),
  );
  const controller = guardDoors(await createController(tidied, parsed.settings, modelCatalogue), loops);
  const closing = new AbortController();
  if (vscode.workspace.isTrusted) void recoverAtStart(controller, log, closing.signal);
  const listener = vscode.workspace.onDidChangeConfiguration((event) => {
    if (!event.affectsConfiguration('belay')) return;
    parsed = readSettings();
    controller.reconfigure(parsed.settings);
    reporter.report(parsed.problems);
  });
  return {
    controller,
    clock,
    ports,
    problems: () => parsed.problems,
    workspace: root,
    showCommands: () => terminal.show(),
    close: async () => {
      closing.abort();
      listener.dispose();
      terminal.dispose();
      await events.flush();
      await controller.dispose();
      providers.dispose();
    },
  };
}

/** A provider's key: none wanted, else the secret storage, else its environment variable. */
function keysOf(secrets: Secrets, log: Log, settings: () => Settings): ProviderSecrets {
  return async (id, account) => {
    const provider = settings().providers.find((candidate) => candidate.id === id && candidate.account === account);
    if (!provider) return null;
    const key = await providerKey(secrets, provider);
    if (key !== null) log.redactor.learn(key);
    return key;
  };
}
