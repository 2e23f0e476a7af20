// The options of `belay gateway` as commander gives them, and the controller behind it.
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { modelCatalogue } from '../core/catalogue/modelCatalogue.ts';
import { withFileConsent } from '../core/disclosure/consent.ts';
import { createController, withTidyLedger } from '../engine/controller.ts';
import { gatewayCommand } from './gateway.ts';
import type { CommandIo } from './io.ts';
import { commandLinePorts, commandLineTransport } from './ports.ts';
import { wholeNumber } from './wholeNumber.ts';

/**
 * Runs the gateway until it is told to stop; resolves with the exit code. The file is the consent to disclosure: nobody is
 * asked. `workspace` is the folder whose .belayignore holds (default: the current one).
 */
export function gatewayFromOptions(
  options: { readonly config: string; readonly port?: string; readonly workspace?: string },
  cwd: string,
  io: CommandIo,
): Promise<number> {
  const config = resolve(cwd, options.config);
  const workspace = resolve(cwd, options.workspace ?? '.');
  if (statSync(workspace, { throwIfNoEntry: false })?.isDirectory() !== true) {
    io.err(`--workspace ${workspace} is not a folder; name one that exists`);
    return Promise.resolve(2);
  }
  const transport = commandLineTransport(process.env);
  if (!transport.ok) {
    io.err(transport.error);
    return Promise.resolve(2);
  }
  return gatewayCommand(
    { config, ...(options.port === undefined ? {} : { port: wholeNumber(options.port) ?? Number.NaN }) },
    io,
    async (settings) => {
      const ports = await commandLinePorts(settings, process.env, workspace, transport.value);
      const tidied = withTidyLedger(
        ports,
        () => settings.advanced.ledger,
        (line) => io.err(line),
      );
      return createController(tidied, withFileConsent(settings), modelCatalogue);
    },
  );
}
