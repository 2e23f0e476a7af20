// Why the gateway could not start, for a person: the port, who may hold it, and what to do.

export interface GatewayStartFault {
  readonly kind: 'port-in-use' | 'port-forbidden' | 'other';
  readonly port: number;
  readonly message: string;
}

const remedy = 'set belay.gateway.port (or --port) to another one, or to 0 for any free port';

/** The fault for an error of `listen`. */
export function explainStart(error: NodeJS.ErrnoException, port: number): GatewayStartFault {
  switch (error.code) {
    case 'EADDRINUSE':
      return {
        kind: 'port-in-use',
        port,
        message:
          `Port ${port} on 127.0.0.1 is in use: by the Belay gateway of another VS Code window, by another "belay gateway", ` +
          `or by another program ("lsof -i :${port}", or "netstat -ano" on Windows, tells which). End that one, or ${remedy}.`,
      };
    case 'EACCES':
      return {
        kind: 'port-forbidden',
        port,
        message: `Port ${port} may not be used by this user. Choose one above 1023: ${remedy}.`,
      };
    default:
      return {
        kind: 'other',
        port,
        message: `The gateway could not listen on port ${port} of 127.0.0.1 (${error.code ?? 'no code'}): ${remedy}.`,
      };
  }
}
