import { isIP } from 'node:net';
import { InvalidArgumentError } from '../model/errors.js';
import { assertRemoteAddress } from '../model/names.js';
import { type GitCommand, gitCommands } from '../process/command-table.js';
import { type GitSetting, withSettings } from '../process/environment.js';
import type { GitRuntime } from '../process/runtime.js';

/** A repository on another server. */
export interface Remote {
  /** `http`, `https`, `git` or `ssh`; without user name and password. */
  address: string;
  /** IP addresses of its host. git connects to these only, without name resolution. */
  pinned: readonly string[];
  credentials?: { user: string; password: string } | null;
}

/** A repository on this machine that is none of the service's: a bare one, or the `.git` of a clone. */
export interface ForeignFolder {
  /** An absolute path. */
  folder: string;
}

/** How git is called for a repository that is none of the service's. */
export interface RemoteCall {
  /** Clones it into a new folder. */
  clone: (folder: string) => GitCommand;
  environment: Record<string, string>;
}

const DEFAULT_PORTS: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' };
/** The user of an ssh address without user name. */
const SSH_USER = 'git';
const HOST = /^(?:[A-Za-z0-9_][A-Za-z0-9_.-]*|\[[0-9A-Fa-f:.]+\])$/;
/** git ends a connection that is slower than this for so many seconds. */
const LEAST_SPEED: readonly GitSetting[] = [
  ['http.lowSpeedLimit', '1'],
  ['http.lowSpeedTime', '300'],
];

/** Returns how git is called. Credentials are passed in the environment only. */
export function callTo(runtime: GitRuntime, source: Remote | ForeignFolder): RemoteCall {
  return 'folder' in source ? callToFolder(source) : callToServer(runtime, source);
}

/** `upload-pack` is made for repositories that are not trusted. It must not fetch what a partial clone lacks, either. */
function callToFolder({ folder }: ForeignFolder): RemoteCall {
  return {
    clone: (copy) => gitCommands.cloneBareFolder(folder, copy),
    environment: { ...withSettings(settingsFor('file')), GIT_NO_LAZY_FETCH: '1' },
  };
}

function callToServer(runtime: GitRuntime, remote: Remote): RemoteCall {
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
  return { clone: cloneOf(url.href), environment: withSettings(settings) };
}

function overGit(url: URL, pinned: string): RemoteCall {
  const environment = { ...withSettings(settingsFor('git')), GIT_OVERRIDE_VIRTUAL_HOST: url.host };
  return { clone: cloneOf(addressAt(url, bracketed(pinned))), environment };
}

/**
 * Does not check host keys, since there is no list of known hosts, and offers no key of the service. Users who
 * import over ssh trust the network and give a password.
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
    'StrictHostKeyChecking=no',
    'UserKnownHostsFile=/dev/null',
    'PubkeyAuthentication=no',
    'GlobalKnownHostsFile=/dev/null',
    'GSSAPIAuthentication=no',
    'ConnectTimeout=30',
    'ServerAliveInterval=30',
    'NumberOfPasswordPrompts=1',
    'LogLevel=ERROR',
    `HostKeyAlias=${url.hostname.replace(/^\[|\]$/g, '')}`,
    `BatchMode=${credentials?.password ? 'no' : 'yes'}`,
    `User=${user}`,
  ];
  const environment = {
    ...withSettings(settingsFor('ssh')),
    GIT_SSH_COMMAND: ['ssh -F /dev/null', ...options.map((option) => `-o ${option}`)].join(' '),
    GIT_SSH_VARIANT: 'ssh',
    SSH_ASKPASS: runtime.folders.askpass,
    SSH_ASKPASS_REQUIRE: 'force',
    DISPLAY: ':0',
    REMOTE_PASSWORD: credentials?.password ?? '',
  };
  return { clone: cloneOf(addressAt(url, bracketed(pinned))), environment };
}

const cloneOf =
  (address: string): RemoteCall['clone'] =>
  (folder) =>
    gitCommands.cloneBare(address, folder);

function addressAt(url: URL, host: string): string {
  const port = url.port === '' ? '' : `:${url.port}`;
  return `${url.protocol}//${host}${port}${url.pathname}`;
}

/** Returns an address as it is written before a port. */
function bracketed(address: string): string {
  return address.includes(':') ? `[${address}]` : address;
}

/** Returns the settings for a connection to another server. Other protocols stay forbidden. */
function settingsFor(scheme: string): GitSetting[] {
  return [
    [`protocol.${scheme}.allow`, 'always'],
    // Another address than the checked one may belong to the internal network.
    ['http.followRedirects', 'false'],
    ['credential.helper', ''],
    // No ref points at fetched objects yet.
    ['core.fsync', 'committed'],
    ...LEAST_SPEED,
  ];
}
