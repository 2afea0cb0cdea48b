import { isIP } from 'node:net';
import { type Setting, withSettings } from './environment.js';
import { InvalidArgumentError } from './errors.js';
import { assertRemoteAddress } from './remote-address.js';
import type { GitRuntime } from './runtime.js';

/** A repository on another server. */
export interface Remote {
  /** `http`, `https`, `git` or `ssh`; without user name and password. */
  address: string;
  /** IP addresses of its host: git connects to these alone and looks no name up. */
  pinned: readonly string[];
  credentials?: { user: string; password: string } | null;
}

/** How git is told about a remote. */
export interface RemoteCall {
  address: string;
  environment: Record<string, string>;
}

const DEFAULT_PORTS: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' };
/** Who connects by ssh and does not say as whom. */
const SSH_USER = 'git';
const HOST = /^(?:[A-Za-z0-9_][A-Za-z0-9_.-]*|\[[0-9A-Fa-f:.]+\])$/;
/** A connection that carries less than this many bytes a second for so many seconds is broken. */
const LEAST_SPEED: readonly Setting[] = [
  ['http.lowSpeedLimit', '1'],
  ['http.lowSpeedTime', '300'],
];

/** What is true of every connection to the outside; all else stays forbidden. */
function settingsFor(scheme: string): Setting[] {
  return [
    [`protocol.${scheme}.allow`, 'always'],
    // Anywhere else than at the address that was checked may be the inside of the network.
    ['http.followRedirects', 'false'],
    ['credential.helper', ''],
    // Nothing refers yet to what is fetched.
    ['core.fsync', 'committed'],
    ...LEAST_SPEED,
  ];
}

/** Turns a remote into what git is told; credentials only by the environment of its process. */
export function callTo(runtime: GitRuntime, remote: Remote): RemoteCall {
  const address = assertRemoteAddress(remote.address);
  const [first] = remote.pinned;
  const url = URL.canParse(address) ? new URL(address) : null;
  if (url === null || !HOST.test(url.hostname) || first === undefined) {
    throw new InvalidArgumentError('Not a host');
  }
  if (url.protocol === 'ssh:') return overSsh(runtime, url, first, remote.credentials);
  if (url.protocol === 'git:') return overGit(url, first);
  return overHttp(url, remote);
}

function overHttp(url: URL, { pinned, credentials }: Remote): RemoteCall {
  const port = url.port === '' ? DEFAULT_PORTS[url.protocol] : url.port;
  const settings = settingsFor(url.protocol.slice(0, -1));
  if (isIP(url.hostname.replace(/^\[|\]$/g, '')) === 0) {
    const addresses = pinned.map(bracketed).join(',');
    settings.push(['http.curloptResolve', `${url.hostname}:${port}:${addresses}`]);
  }
  if (credentials) {
    const { user, password } = credentials;
    const basic = Buffer.from(`${user}:${password}`).toString('base64');
    settings.push(['http.extraHeader', `Authorization: Basic ${basic}`]);
  }
  return { address: url.href, environment: withSettings(settings) };
}

function overGit(url: URL, pinned: string): RemoteCall {
  const environment = { ...withSettings(settingsFor('git')), GIT_OVERRIDE_VIRTUAL_HOST: url.host };
  return { address: addressAt(url, bracketed(pinned)), environment };
}

/**
 * There is no list of known hosts to compare a host's key with, and no key of the service's own is
 * offered: who imports over ssh trusts the network, and gives a password.
 */
function overSsh(
  runtime: GitRuntime,
  url: URL,
  pinned: string,
  credentials: Remote['credentials'],
): RemoteCall {
  const user = credentials?.user ?? SSH_USER;
  if (!/^\w[\w.@-]*$/.test(user)) throw new InvalidArgumentError('Not a user name');
  const options = [
    ...['StrictHostKeyChecking=no', 'UserKnownHostsFile=/dev/null', 'PubkeyAuthentication=no'],
    ...['GlobalKnownHostsFile=/dev/null', 'GSSAPIAuthentication=no', 'ConnectTimeout=30'],
    ...['ServerAliveInterval=30', 'NumberOfPasswordPrompts=1', 'LogLevel=ERROR'],
    `HostKeyAlias=${url.hostname.replace(/^\[|\]$/g, '')}`,
    `BatchMode=${credentials?.password ? 'no' : 'yes'}`,
    `User=${user}`,
  ];
  const environment = {
    ...withSettings(settingsFor('ssh')),
    GIT_SSH_COMMAND: ['ssh -F /dev/null', ...options.map((option) => `-o ${option}`)].join(' '),
    GIT_SSH_VARIANT: 'ssh',
    SSH_ASKPASS: runtime.askpass,
    SSH_ASKPASS_REQUIRE: 'force',
    DISPLAY: ':0',
    REMOTE_PASSWORD: credentials?.password ?? '',
  };
  return { address: addressAt(url, bracketed(pinned)), environment };
}

function addressAt(url: URL, host: string): string {
  const port = url.port === '' ? '' : `:${url.port}`;
  return `${url.protocol}//${host}${port}${url.pathname}`;
}

/** As addresses are written beside a port. */
function bracketed(address: string): string {
  return address.includes(':') ? `[${address}]` : address;
}
