// The options of `belay gateway` as commander gives them, and the controller behind it.
import { resolve } from 'node:path';
import { createController } from '../engine/controller.ts';
import { gatewayCommand } from './gateway.ts';
import type { CommandIo } from './io.ts';
import { commandLinePorts } from './ports.ts';

/** Runs the gateway until it is told to stop; resolves with the exit code. */
export function gatewayFromOptions(
  options: { readonly config: string; readonly port?: string },
  cwd: string,
  io: CommandIo,
): Promise<number> {
  const config = resolve(cwd, options.config);
  return gatewayCommand(
    { config, ...(options.port === undefined ? {} : { port: Number(options.port) }) },
    io,
    async (settings) => createController(await commandLinePorts(settings, process.env, cwd), settings),
  );
}
