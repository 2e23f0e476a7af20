// Registers every command of the table and turns what a handler throws into one message for a person.
import * as vscode from 'vscode';
import { commandTable, type CommandId } from './commandTable.ts';
import { messageOf, type Log } from './log.ts';

/** One handler for each command of the table; a missing one does not compile. */
export type CommandHandlers = Readonly<Record<CommandId, () => void | Promise<void>>>;

/** Registers the commands. */
export function registerCommands(handlers: CommandHandlers, log: Log): vscode.Disposable {
  const registrations = Object.keys(commandTable)
    .filter(isCommandId)
    .map((id) => vscode.commands.registerCommand(id, () => run(id, handlers[id], log)));
  return vscode.Disposable.from(...registrations);
}

const isCommandId = (id: string): id is CommandId => Object.hasOwn(commandTable, id);

async function run(id: CommandId, handler: () => void | Promise<void>, log: Log): Promise<void> {
  try {
    await handler();
  } catch (error) {
    log.error(`${id} failed`, error);
    const showLog = vscode.l10n.t('Show Log');
    const choice = await vscode.window.showErrorMessage(`Belay: ${log.redactor.redact(messageOf(error))}`, showLog);
    if (choice === showLog) log.show();
  }
}
