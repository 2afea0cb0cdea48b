import { connect, createServer } from 'node:net';
import type { Config } from '../../platform/config/index.js';
import { PROBE_LIMIT_MS, reasonOf } from '../probes/time-limit.js';
import { attempt, type Check, ok, problem, warning } from './check.js';

/** Below this, ports are for root and for programs that are allowed to. */
const FIRST_FREE_PORT = 1_024;

/** Checks the addresses that clients use. */
export async function checkNetwork(config: Config, uid: number | undefined): Promise<Check[]> {
  const { host, port } = config.http;
  return Promise.all([
    checkHost(host),
    checkPort('http-port', { host, port, uid, setting: 'PORT', isOurs: answersHealth }),
    config.ssh.port === 'off'
      ? ok('ssh-port', 'Git over SSH is off')
      : checkPort('ssh-port', {
          host,
          port: config.ssh.port,
          uid,
          setting: 'SSH_PORT',
          isOurs: answersSsh,
        }),
    checkExternalUrl(config),
  ]);
}

const checkHost = (host: string): Promise<Check> =>
  attempt('host', 'set HOST to an address of this machine', async () => {
    const server = createServer();
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject).listen(0, host, resolve);
    });
    await new Promise((resolve) => server.close(resolve));
    return ok('host', host);
  });

interface PortToCheck {
  readonly host: string;
  readonly port: number;
  readonly uid: number | undefined;
  readonly setting: string;
  readonly isOurs: (host: string, port: number) => Promise<boolean>;
}

/** Connects to a port: it has to be free, or the service's. */
async function checkPort(name: string, port: PortToCheck): Promise<Check> {
  if (port.port === 0) return ok(name, 'a free one is chosen at each start');
  const host = reachable(port.host);
  if (!(await accepts(host, port.port))) {
    if (port.port >= FIRST_FREE_PORT || port.uid === 0) return ok(name, `${port.port} is free`);
    const advice = 'give the program CAP_NET_BIND_SERVICE, or let a proxy listen there';
    return warning(name, `${port.port} is for privileged programs`, advice);
  }
  if (await port.isOurs(host, port.port)) return ok(name, `the service answers on ${port.port}`);
  const detail = `another program listens on ${port.port}`;
  return problem(name, detail, `end that program, or set ${port.setting} to another port`);
}

/** The address to connect to for one to listen on: all addresses are none to connect to. */
const reachable = (host: string): string =>
  host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;

async function accepts(host: string, port: number): Promise<boolean> {
  return (
    (await readFirst(host, port, (socket) => socket.once('connect', () => socket.end()))) !== null
  );
}

async function answersHealth(host: string, port: number): Promise<boolean> {
  const address = host.includes(':') ? `[${host}]` : host;
  return (await readHealth(`http://${address}:${port}`)) === null;
}

const answersSsh = async (host: string, port: number): Promise<boolean> =>
  (await readFirst(host, port, (socket) => socket.once('data', () => socket.end())))?.startsWith(
    'SSH-2.0-Trellis',
  ) ?? false;

/** @returns what a server sends until `end` closes the connection; null when there is no connection */
function readFirst(
  host: string,
  port: number,
  end: (socket: ReturnType<typeof connect>) => void,
): Promise<string | null> {
  return new Promise((resolve) => {
    let text = '';
    const socket = connect({ host, port });
    socket.setTimeout(PROBE_LIMIT_MS, () => socket.destroy());
    socket.on('data', (part) => (text += part.toString('latin1')));
    end(socket);
    let isConnected = false;
    socket.once('connect', () => (isConnected = true));
    socket.on('error', () => undefined);
    socket.once('close', () => resolve(isConnected ? text : null));
  });
}

/** Asks the address that users have, from here: a firewall or a name that only others know may hide it. */
async function checkExternalUrl({ http: { externalUrl } }: Config): Promise<Check> {
  const name = 'external-url';
  const reason = await readHealth(externalUrl);
  if (reason === null) return ok(name, `${externalUrl} answers`);
  const advice =
    'start the service, or correct EXTERNAL_URL or the proxy, unless only others can reach the address';
  return warning(name, `${externalUrl} does not answer from here: ${reason}`, advice);
}

/** @returns null if the service answers at an address; otherwise why not */
async function readHealth(address: string): Promise<string | null> {
  try {
    const signal = AbortSignal.timeout(PROBE_LIMIT_MS);
    const headers = { connection: 'close' };
    const response = await fetch(`${address}/healthz`, { headers, signal });
    const text = await response.text();
    return text === '{"status":"ok"}' ? null : `another server does, with ${response.status}`;
  } catch (error) {
    return reasonOf(error instanceof Error && error.cause !== undefined ? error.cause : error);
  }
}
