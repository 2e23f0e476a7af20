// In an untrusted workspace nothing is sent, run or written, whoever asks: the ports themselves refuse.
// Reading what is already known (files, ledger) goes on. Trust is asked for at each use, since it can be granted meanwhile.
import * as vscode from 'vscode';
import type { AppliedFiles, CommandPort, FilePort, FileWrite, ProviderPort } from '../../engine/ports.ts';

/** The ports that reach out of Belay. */
export interface OutwardPorts {
  readonly provider: ProviderPort;
  readonly command: CommandPort;
  readonly files: FilePort;
}

/** The same ports, closed while the workspace is untrusted. */
export function onlyTrusted({ provider, command, files }: OutwardPorts): OutwardPorts {
  const refusal = (): { readonly ok: false; readonly error: string } => ({ ok: false, error: untrustedMessage() });
  return {
    provider: {
      async *stream(...args) {
        if (vscode.workspace.isTrusted) {
          yield* provider.stream(...args);
          return;
        }
        yield {
          failed: {
            httpStatus: 403,
            headers: {},
            body: null,
            clientError: { name: 'UntrustedWorkspace', code: 'UNTRUSTED_WORKSPACE', message: untrustedMessage() },
            streamPhase: 'before_headers',
            finishReason: null,
            operation: 'model_read',
          },
        };
      },
    },
    command: {
      hold: (held) => (vscode.workspace.isTrusted ? command.hold(held) : Promise.resolve(refusal())),
      trace: (entry) => command.trace(entry),
      // A repository's own settings can make even a reading git run a program.
      query: (query) => (vscode.workspace.isTrusted ? command.query(query) : Promise.resolve(refusal())),
      self: () => command.self(),
    },
    files: {
      ...files,
      apply: (writes) => (vscode.workspace.isTrusted ? files.apply(writes) : Promise.resolve(nothingApplied(writes))),
    },
  };
}

function nothingApplied(writes: readonly FileWrite[]): AppliedFiles {
  const files = writes.map(({ path }) => ({ path, outcome: 'untouched' as const, hash: null, reason: null }));
  return { ok: false, files, error: untrustedMessage() };
}

/** Why nothing happens, and what to do. */
export function untrustedMessage(): string {
  return vscode.l10n.t(
    'Belay does nothing in an untrusted workspace. Trust it with "Workspaces: Manage Workspace Trust".',
  );
}
