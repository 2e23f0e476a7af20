// Guarded commands as a person can watch them: one terminal "Belay" that shows what runs and what it prints.
// The terminal is a view only. Commands run in Belay's own process group and never in the terminal's shell, so a slow or
// missing shell integration can neither lose a command nor run it again. Ctrl+C and closing the terminal stop what runs.
import * as vscode from 'vscode';
import type { CommandPort, GatedCommand, HeldCommand, ReleasedRun } from '../../engine/ports.ts';
import { closing, commandLine, opening, terminalLines } from './terminalText.ts';

const CTRL_C = '\u0003';
/** What was written before VS Code opened the view, kept up to this many characters. */
const MAX_WAITING_CHARS = 200_000;

/** The terminal and the commands that it shows. */
export class CommandTerminal implements vscode.Disposable {
  readonly #redact: (text: string) => string;
  readonly #running = new Set<AbortController>();
  #view: View | null = null;
  /** The terminal comes up by itself once, without taking the focus; later a person decides. */
  #hasBeenShown = false;

  constructor(redact: (text: string) => string) {
    this.#redact = redact;
  }

  /** The same port, whose released commands are shown. */
  wrap(command: CommandPort): CommandPort {
    return {
      trace: (entry) => command.trace(entry),
      query: (query) => command.query(query),
      self: () => command.self(),
      hold: async (gated) => {
        const held = await command.hold(gated);
        return held.ok ? { ok: true, value: this.#shown(held.value, gated) } : held;
      },
    };
  }

  /** Brings the terminal up, with an empty one when nothing has run yet. */
  show(): void {
    this.#open().terminal.show();
  }

  dispose(): void {
    this.#view?.terminal.dispose();
    this.#view = null;
  }

  #shown(held: HeldCommand, gated: GatedCommand): HeldCommand {
    return {
      pid: held.pid,
      pidStartedAt: held.pidStartedAt,
      discard: () => held.discard(),
      release: (signal, onOutput) => this.#release(held, gated, signal, onOutput),
    };
  }

  async #release(
    held: HeldCommand,
    gated: GatedCommand,
    signal: AbortSignal,
    onOutput: (stream: 'stdout' | 'stderr', text: string) => void,
  ): Promise<ReleasedRun> {
    const stop = new AbortController();
    const view = this.#tryOpen();
    this.#running.add(stop);
    const startMs = performance.now();
    view?.write(opening(commandLine(gated, this.#redact), gated.cwd));
    try {
      const run = await held.release(AbortSignal.any([signal, stop.signal]), (stream, text) => {
        onOutput(stream, text);
        view?.write(terminalLines(text));
      });
      view?.write(closing(run.exit, performance.now() - startMs, vscode.l10n.t));
      return run;
    } finally {
      this.#running.delete(stop);
    }
  }

  /** A view that cannot be had must not keep a command from running. */
  #tryOpen(): View | null {
    try {
      const view = this.#open();
      if (!this.#hasBeenShown) view.terminal.show(true);
      this.#hasBeenShown = true;
      return view;
    } catch {
      return null;
    }
  }

  #open(): View {
    if (this.#view) return this.#view;
    const stopAll = (): void => this.#running.forEach((stop) => stop.abort());
    const view: View = openView(stopAll, () => {
      if (this.#view === view) this.#view = null;
    });
    this.#view = view;
    return view;
  }
}

interface View {
  readonly terminal: vscode.Terminal;
  write(text: string): void;
}

function openView(stopAll: () => void, onClosed: () => void): View {
  const output = new vscode.EventEmitter<string>();
  let waiting: string | null = '';
  const pty: vscode.Pseudoterminal = {
    onDidWrite: output.event,
    open: () => {
      output.fire(
        `\u001b[2m${vscode.l10n.t('Commands that Belay guards. Ctrl+C stops what is running.')}\u001b[0m\r\n\r\n`,
      );
      if (waiting !== null && waiting !== '') output.fire(waiting);
      waiting = null;
    },
    close: () => {
      stopAll();
      onClosed();
      output.dispose();
    },
    handleInput: (data) => {
      if (data.includes(CTRL_C)) stopAll();
    },
  };
  const terminal = vscode.window.createTerminal({
    name: 'Belay',
    pty,
    iconPath: new vscode.ThemeIcon('shield'),
    isTransient: true,
  });
  return {
    terminal,
    write: (text) => {
      if (waiting === null) output.fire(text);
      else waiting = `${waiting}${text}`.slice(-MAX_WAITING_CHARS);
    },
  };
}
