// The editor's own way to the network. VS Code patches `http` and `https` for extensions with the user's proxy settings,
// the system's certificates and proxy sign-in, but only where they are required by these very names: an import, or `node:http`,
// gets the bare modules.
import type nodeHttp from 'node:http';
import type nodeHttps from 'node:https';
import { createRequire } from 'node:module';
import type { Transport } from '../providers/transport.ts';

/** The patched modules of this extension; in a Node without VS Code the bare ones. */
export function editorTransport(): Transport {
  const requireHere = createRequire(import.meta.url);
  return {
    http: requireHere('http') as typeof nodeHttp, // What `require` returns has no type.
    https: requireHere('https') as typeof nodeHttps, // The same.
  };
}
