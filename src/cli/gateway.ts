// `belay gateway --config FILE [--port N]`: a configuration file becomes a running loopback gateway until it is told to stop.
// Standard output gets one JSON line when it is ready; problems go to standard error, one line each.
import { realClock } from '../adapters/time/realClock.ts';
import type { Settings } from '../core/settings.ts';
import type { Controller } from '../engine/controller.ts';
import type { ClockPort } from '../engine/ports.ts';
import { startGateway, type Gateway } from '../gateway/server.ts';
import type { ConfigFile } from './configFile.ts';
import { readConfig } from './readConfig.ts';

export interface GatewayCommandOptions {
  /** Path of the file. */
  readonly config: string;
  /** Overrides `belay.gateway.port`; 0 takes any free port. */
  readonly port?: number;
}

/** Where the lines go. */
export interface GatewayIo {
  readonly out: (line: string) => void;
  readonly err: (line: string) => void;
}

/** What the command needs of the process it runs in. */
export interface GatewayHost {
  readonly pid: number;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Calls `listener` when the process is asked to end; returns how to stop listening. */
  readonly onStop: (listener: () => void) => () => void;
}

/** Builds the controller for the file's settings; it is disposed by the command. */
export type MakeController = (settings: Settings, clock: ClockPort) => Promise<Controller>;

/** Runs until SIGTERM or SIGINT. Resolves with the exit code: 0 drained and closed, 1 cannot listen, 2 bad file or option. */
export async function gatewayCommand(
  options: GatewayCommandOptions,
  io: GatewayIo,
  makeController: MakeController,
  host: GatewayHost = processHost(),
): Promise<number> {
  const { config, port } = options;
  if (port !== undefined && !(Number.isInteger(port) && port >= 0 && port <= 65_535)) {
    io.err('--port: expected a whole number from 0 to 65535');
    return 2;
  }
  const read = await readConfig(config, host.environment);
  if (!read.ok) {
    for (const line of read.error) io.err(line);
    return 2;
  }
  for (const line of read.value.warnings) io.err(`${config}: ${line}`);
  return serve(read.value, port ?? read.value.settings.gatewayPort, io, makeController, host);
}

async function serve(
  config: ConfigFile,
  port: number,
  io: GatewayIo,
  makeController: MakeController,
  host: GatewayHost,
): Promise<number> {
  const clock = realClock();
  // Listening from the start: a stop while starting is a stop all the same.
  let stop = (): void => undefined;
  const stopped = new Promise<void>((resolve) => {
    stop = resolve;
  });
  const forget = host.onStop(() => stop());
  try {
    const controller = await makeController(config.settings, clock);
    try {
      const reportBug = (error: unknown, requestId: string): void =>
        io.err(`internal error in request ${requestId}: ${bugText(error)}`);
      const started = await startGateway({
        controller,
        clock,
        port,
        reportBug,
        ...(config.auth ? { auth: config.auth } : {}),
      });
      if (!started.ok) {
        io.err(started.error.message);
        return 1;
      }
      await run(started.value, io, host, stopped);
      return 0;
    } finally {
      await controller.dispose();
    }
  } finally {
    forget();
  }
}

async function run(gateway: Gateway, io: GatewayIo, host: GatewayHost, stopped: Promise<void>): Promise<void> {
  io.out(JSON.stringify({ url: gateway.url, token: gateway.token, pid: host.pid }));
  await stopped;
  await gateway.close();
}

/** The name and place of a bug; its message may quote what it stumbled over, so it stays out of the log. */
function bugText(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  const place = /\n\s+at (.*)/.exec(error.stack ?? '')?.[1] ?? 'an unknown place';
  return `${error.name} at ${place}`;
}

/** This process: its environment, SIGTERM and SIGINT. */
export function processHost(): GatewayHost {
  return {
    pid: process.pid,
    environment: process.env,
    onStop: (listener) => {
      process.on('SIGTERM', listener);
      process.on('SIGINT', listener);
      return () => {
        process.off('SIGTERM', listener);
        process.off('SIGINT', listener);
      };
    },
  };
}
