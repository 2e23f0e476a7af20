// How requests get to the network: which http(s) modules, through which proxy, trusting which authorities. On the command
// line the usual environment variables decide; in the editor VS Code's own patched modules do (its proxy and certificates).
import { readFileSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import tls from 'node:tls';

/** Requests and pools, as node:http and node:https have them. */
export interface Transport {
  readonly http: Pick<typeof http, 'request' | 'Agent'>;
  readonly https: Pick<typeof https, 'request' | 'Agent'>;
  /** Proxies by the names of their environment variables; absent: none, or the modules know by themselves. */
  readonly proxyEnv?: Readonly<Record<string, string>>;
  /** Certificate authorities that are trusted, in PEM; absent: the runtime's own. */
  readonly ca?: readonly string[];
}

type Environment = Readonly<Record<string, string | undefined>>;

/** No proxy, the runtime's own authorities. */
export const plainTransport: Transport = { http, https };

/** Read in this order, in lower case first, as curl and Node do. */
const PROXY_VARIABLES = ['http_proxy', 'https_proxy', 'no_proxy'] as const;
/** A file of further authorities. Node reads NODE_EXTRA_CA_CERTS by itself; this one it leaves out. */
const CA_VARIABLE = 'SSL_CERT_FILE';

/** The variables among `environment` that change how requests travel, for a person to see; no values. */
export function networkVariables(environment: Environment): readonly string[] {
  const names = [...PROXY_VARIABLES, 'all_proxy'].flatMap((name) => [name, name.toUpperCase()]);
  return [...names, CA_VARIABLE, 'NODE_EXTRA_CA_CERTS'].filter((name) => valueOf(environment, name) !== null);
}

/** An older Node takes the option of a proxy without a word and goes past it. */
const CAN_PROXY = process.allowedNodeEnvironmentFlags.has('--use-env-proxy');

/**
 * A transport by the usual variables: HTTP_PROXY, HTTPS_PROXY, ALL_PROXY, NO_PROXY, SSL_CERT_FILE. A proxy must be an http
 * or https address; throws with the name of the variable that cannot be used, never its value (it may hold a password).
 */
export function environmentTransport(environment: Environment, canProxy = CAN_PROXY): Transport {
  const all = proxyOf(environment, 'all_proxy');
  const proxies = PROXY_VARIABLES.map((name): [string, string | null] => [
    name,
    name === 'no_proxy' ? named(environment, name) : (proxyOf(environment, name) ?? all),
  ]).filter((pair): pair is [string, string] => pair[1] !== null);
  const ca = authoritiesOf(environment);
  const isProxied = proxies.some(([name]) => name !== 'no_proxy');
  if (isProxied && !canProxy)
    throw new Error(
      'A proxy is set (HTTPS_PROXY, HTTP_PROXY or ALL_PROXY), which this Node cannot use. Use Node 24.5 or newer.',
    );
  return {
    ...plainTransport,
    ...(isProxied ? { proxyEnv: Object.fromEntries(proxies) } : {}),
    ...(ca === null ? {} : { ca }),
  };
}

function proxyOf(environment: Environment, name: string): string | null {
  const value = named(environment, name);
  if (value === null) return null;
  const address = value.includes('://') ? value : `http://${value}`;
  const protocol = URL.canParse(address) ? new URL(address).protocol : '';
  if (protocol !== 'http:' && protocol !== 'https:')
    throw new Error(`${name.toUpperCase()} is no http or https address. Correct it, or unset it.`);
  return address;
}

function authoritiesOf(environment: Environment): readonly string[] | null {
  const file = valueOf(environment, CA_VARIABLE);
  if (file === null) return null;
  try {
    return [...tls.getCACertificates('default'), readFileSync(file, 'utf8')];
  } catch {
    throw new Error(`${CA_VARIABLE} names a file that cannot be read. Correct it, or unset it.`);
  }
}

function named(environment: Environment, name: string): string | null {
  return valueOf(environment, name) ?? valueOf(environment, name.toUpperCase());
}

function valueOf(environment: Environment, name: string): string | null {
  const value = environment[name];
  return value === undefined || value.trim() === '' ? null : value.trim();
}
