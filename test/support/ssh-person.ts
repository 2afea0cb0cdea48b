import { spawn } from 'node:child_process';
import { generateKeyPairSync, type KeyPairKeyObjectResult } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import ssh2, { type Client, type ClientChannel } from 'ssh2';
import { openSshForm } from '../../src/modules/git-access/ssh/host-keys.js';
import { Config } from '../../src/platform/config/index.js';
import { type CommandResult, tryGit } from '../unit/git/support/workshop.js';
import type { MadeProject, Person } from './factories.js';
import { lineOf, withLeadingZero } from './public-keys.js';
import type { Trellis } from './trellis.js';

/** What `ssh-keygen` is asked for. */
const KEYS = {
  ed25519: ['-t', 'ed25519'],
  rsa: ['-t', 'rsa', '-b', '2048'],
  ecdsa: ['-t', 'ecdsa'],
  'ecdsa of 384 bits': ['-t', 'ecdsa', '-b', '384'],
  'ecdsa of 521 bits': ['-t', 'ecdsa', '-b', '521'],
  dsa: ['-t', 'dsa'],
};

/** What is made without a process. */
const MADE_HERE = {
  'ed25519 by Node': () => generateKeyPairSync('ed25519'),
  'ed25519 with a leading zero': withLeadingZero,
} satisfies Record<string, () => KeyPairKeyObjectResult>;

export type KeyKind = keyof typeof KEYS | keyof typeof MADE_HERE;

/** A key pair with a folder of its own, and the real `ssh` and `git` that use it. */
export class SshPerson {
  private constructor(
    private readonly trellis: Trellis,
    readonly folder: string,
    /** The public key in OpenSSH's form. */
    readonly line: string,
  ) {}

  /** @param person whose account the key is added to through the API; null for a key nobody knows */
  static async create(
    trellis: Trellis,
    person: Person | null,
    kind: KeyKind = 'ed25519 by Node',
  ): Promise<SshPerson> {
    const folder = await mkdtemp(path.join(tmpdir(), 'trellis-ssh-'));
    const line = await makeKey(path.join(folder, 'key'), kind);
    if (person !== null) {
      const answer = await trellis.as(person).post('/user/keys', { title: kind, key: line });
      if (answer.status !== 201) throw new Error(answer.text);
    }
    return new SshPerson(trellis, folder, line);
  }

  get port(): number {
    return Number(this.trellis.app.get(Config).ssh.port);
  }

  /** The folder's file of hosts that were met. */
  get knownHosts(): string {
    return path.join(this.folder, 'known_hosts');
  }

  /** The options of `ssh` before host and command. */
  options(...more: string[]): string[] {
    return [
      ...more,
      ...['-F', 'none', '-i', path.join(this.folder, 'key'), '-p', String(this.port)],
      ...['-o', 'IdentitiesOnly=yes', '-o', 'IdentityAgent=none', '-o', 'BatchMode=yes'],
      ...['-o', `UserKnownHostsFile=${this.knownHosts}`, '-o', 'StrictHostKeyChecking=no'],
      ...['-o', 'LogLevel=ERROR'],
    ];
  }

  /** Runs `ssh` with a command, or none. @param given what the command reads */
  ssh(
    command: string[],
    given: { user?: string; options?: string[]; input?: Buffer } = {},
  ): Promise<CommandResult> {
    const { user = 'git', options = [], input } = given;
    const args = [...this.options('-T', ...options), `${user}@127.0.0.1`, ...command];
    return execute('ssh', args, input);
  }

  /** Signs in without `ssh`. The caller ends the connection. */
  async connect(): Promise<Client> {
    const client = new ssh2.Client();
    const privateKey = await readFile(path.join(this.folder, 'key'));
    client.connect({
      host: '127.0.0.1',
      port: this.port,
      username: 'git',
      privateKey,
      // Without a limit of the client's own: a busy machine takes long where many connect at once.
      readyTimeout: 0,
    });
    await once(client, 'ready');
    return client;
  }

  url(project: Pick<MadeProject, 'fullPath'>): string {
    return `ssh://git@127.0.0.1:${String(this.port)}/${project.fullPath}.git`;
  }

  /** Runs git with this key. @param variables further ones of its environment */
  git(
    args: string[],
    cwd = this.folder,
    variables: Record<string, string> = {},
  ): Promise<CommandResult> {
    const ssh = ['ssh', ...this.options()].join(' ');
    const environment = { GIT_SSH_COMMAND: ssh, GIT_SSH_VARIANT: 'ssh', ...variables };
    return tryGit(args, { cwd, environment });
  }

  remove(): Promise<void> {
    return rm(this.folder, { recursive: true, force: true });
  }
}

const isMadeHere = (kind: KeyKind): kind is keyof typeof MADE_HERE => kind in MADE_HERE;

/** Writes a private key to a file and answers the public one. */
async function makeKey(file: string, kind: KeyKind): Promise<string> {
  if (isMadeHere(kind)) {
    const pair = MADE_HERE[kind]();
    await writeFile(file, openSshForm(pair.privateKey), { mode: 0o600 });
    return lineOf(pair.publicKey);
  }
  const made = await execute('ssh-keygen', ['-q', ...KEYS[kind], '-N', '', '-f', file]);
  if (made.code !== 0) throw new Error(made.stderr);
  return (await readFile(`${file}.pub`, 'utf8')).trim();
}

/** Begins a command on a connection. @param env its variables */
export function beginCommand(
  client: Client,
  command: string,
  env: Record<string, string> = {},
): Promise<ClientChannel> {
  return new Promise((resolve, reject) => {
    client.exec(command, { env }, (error, channel) => (error ? reject(error) : resolve(channel)));
  });
}

/**
 * Runs a command on a connection, which takes much less than an `ssh` for each.
 * @returns the output as Latin-1
 */
export async function runCommand(
  client: Client,
  command: string,
  { env = {}, input = Buffer.alloc(0) }: { env?: Record<string, string>; input?: Buffer } = {},
): Promise<CommandResult> {
  const channel = await beginCommand(client, command, env);
  const result = { code: -1, stdout: '', stderr: '' };
  channel.on('data', (chunk: Buffer) => (result.stdout += chunk.toString('latin1')));
  channel.stderr.on('data', (chunk: Buffer) => (result.stderr += chunk.toString('latin1')));
  channel.on('exit', (code: number) => (result.code = code));
  channel.on('error', () => undefined).end(input);
  await once(channel, 'close');
  return result;
}

function execute(command: string, args: string[], input?: Buffer): Promise<CommandResult> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { env: { PATH: process.env['PATH'], LC_ALL: 'C.UTF-8' } });
    const text = { stdout: '', stderr: '' };
    child.stdout.on('data', (chunk: Buffer) => (text.stdout += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (text.stderr += chunk.toString()));
    child.once('error', reject);
    child.once('close', (code, signal) => {
      if (code === null) reject(new Error(`${command} was ended by ${String(signal)}`));
      else resolve({ code, ...text });
    });
    child.stdin.on('error', () => undefined).end(input);
  });
}
