import { execFile } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { chmod, mkdir, readdir, readFile, stat, unlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { pino } from 'pino';
import ssh2, { type Client, type ClientChannel } from 'ssh2';
import { SshServer } from '../../../src/modules/git-access/index.js';
import { HostKeys, openSshForm } from '../../../src/modules/git-access/ssh/host-keys.js';
import { SshLimits } from '../../../src/modules/git-access/ssh/ssh-connection.js';
import type { Person } from '../../support/factories.js';
import { field, publicBytes, withLeadingZero } from '../../support/public-keys.js';
import { beginCommand, SshPerson } from '../../support/ssh-person.js';
import { newKeyPair } from '../../support/public-keys.js';
import { Trellis } from '../../support/trellis.js';

const FULL = /Too many connections\. Try again later\./;

/**
 * An unencrypted ed25519 private key in OpenSSH's form without the zero byte at the beginning of its
 * public part, which stands in the file three times.
 */
function withoutLeadingZero(text: string): string {
  const body = text.replaceAll(/-----.*-----|\s/g, '');
  const bytes = Buffer.from(body, 'base64');
  const key = ssh2.utils.parseKey(text);
  if (key instanceof Error) throw key;
  const whole = key.getPublicSSH().subarray(-32);
  const seed = bytes.subarray(bytes.lastIndexOf(whole) - 32, bytes.lastIndexOf(whole));
  const short = whole.subarray(1);
  const type = field(Buffer.from('ssh-ed25519'));
  const secret = Buffer.concat([
    Buffer.alloc(8),
    ...[type, field(short), field(Buffer.concat([seed, short])), field(Buffer.alloc(0))],
  ]);
  const padding = Buffer.from([1, 2, 3, 4, 5, 6, 7]).subarray(0, -secret.length & 7);
  const head = ['none', 'none', ''].map((word) => field(Buffer.from(word)));
  const file = Buffer.concat([
    ...[Buffer.from('openssh-key-v1\0'), ...head, Buffer.from([0, 0, 0, 1])],
    ...[field(Buffer.concat([type, field(short)])), field(Buffer.concat([secret, padding]))],
  ]);
  const [begin, end] = ['BEGIN', 'END'].map((word) => `-----${word} OPENSSH PRIVATE KEY-----`);
  return [begin, ...(file.toString('base64').match(/.{1,70}/g) ?? []), end, ''].join('\n');
}

/** Ends a connection, and waits until the server has done so too. */
async function hangUp(socket: Socket): Promise<void> {
  socket.resume().end();
  await once(socket, 'close');
}

/** Unlike `once`, an error on the way is none here. */
function closeOf(client: Client): Promise<void> {
  return new Promise((resolve) => {
    client.once('close', () => resolve());
  });
}

describe('Git over SSH: limits', () => {
  let trellis: Trellis;
  let owner: Person;
  let keys: SshPerson;
  const sockets: Socket[] = [];

  const hostKeys = () => trellis.app.get(HostKeys);
  const load = (folder: string) => hostKeys().load(folder, pino({ level: 'silent' }));

  beforeAll(async () => {
    trellis = await Trellis.start({
      because: 'settings at the start',
      servesSsh: true,
      env: { SSH_MAX_CONNECTIONS: '12' },
    });
    owner = await trellis.factories.user();
    keys = await SshPerson.create(trellis, owner);
  });
  afterEach(async () => {
    for (const socket of sockets.splice(0)) if (!socket.closed) await hangUp(socket);
  });
  afterAll(async () => {
    await keys.remove();
    await trellis.stop();
  });

  const limits = () => trellis.app.get(SshLimits);
  const set = (changes: Partial<SshLimits>) => Object.assign(limits(), changes);

  /** A bare connection; answers the first thing that the server sends. */
  async function dial(): Promise<{ socket: Socket; greeting: string }> {
    const socket = connect(keys.port, '127.0.0.1');
    sockets.push(socket);
    const [bytes] = (await once(socket, 'data')) as [Buffer];
    return { socket, greeting: bytes.toString() };
  }

  it('limits connections per address and in total', async () => {
    const first = [await dial(), await dial(), await dial()];
    for (const { greeting } of first) expect(greeting).toMatch(/^SSH-2\.0-/);
    expect((await dial()).greeting).toMatch(FULL);
    set({ connectionsOfOneAddress: 100, connections: 3 });
    expect((await dial()).greeting).toMatch(FULL);
    set({ connectionsOfOneAddress: 3, connections: 12 });
    await hangUp(first[0]!.socket);
    expect((await keys.ssh([])).code).toBe(0);
  });

  it('drops unauthenticated connections for new ones', async () => {
    const { handshakeMs } = limits();
    set({ handshakeMs: 0 });
    const idle = [await dial(), await dial(), await dial()];
    const cut = once(idle[0]!.socket, 'close');
    idle[0]!.socket.resume();
    expect((await keys.ssh([])).code).toBe(0);
    await cut;
    expect(idle[2]!.socket.closed).toBe(false);
    // Those that have signed in stay.
    const clients = [await keys.connect(), await keys.connect(), await keys.connect()];
    expect((await dial()).greeting).toMatch(FULL);
    for (const client of clients) {
      const closed = closeOf(client);
      client.end();
      await closed;
    }
    set({ handshakeMs });
  });

  it('ends unauthenticated and idle connections', async () => {
    const { restMs, signInMs } = limits();
    set({ signInMs: 50 });
    const { socket } = await dial();
    const ends = once(socket, 'close');
    socket.resume();
    await ends;
    set({ signInMs });
    const client = await keys.connect();
    set({ restMs: 50 });
    const closed = once(client, 'close');
    client.shell(false, () => undefined);
    await closed;
    set({ restMs });
    expect((await keys.ssh([])).code).toBe(0);
  });

  it('ends connections without traffic', async () => {
    const { silenceMs } = limits();
    set({ silenceMs: 50 });
    try {
      const { socket, greeting } = await dial();
      expect(greeting).toMatch(/^SSH-2\.0-/);
      const ends = once(socket, 'close');
      socket.resume();
      await ends;
    } finally {
      set({ silenceMs });
    }
    expect((await keys.ssh([])).code).toBe(0);
  });

  it.each([
    ['another protocol', Buffer.from('GET / HTTP/1.1\r\nHost: x\r\n\r\n')],
    ['no end of a line', Buffer.alloc(100_000, 'x')],
    ['a packet without end', Buffer.from(`SSH-2.0-x\r\n${'\xff'.repeat(1_000)}`, 'latin1')],
    ['nothing but zeros', Buffer.from(`SSH-2.0-x\r\n${'\0'.repeat(50_000)}`)],
  ])('keeps serving after %s', async (_what, bytes) => {
    const { socket } = await dial();
    socket.on('error', () => undefined).resume();
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.end(bytes);
    await closed;
    expect((await keys.ssh([])).code).toBe(0);
  });

  it('limits the keys that a connection may try', async () => {
    const { attempts } = limits();
    set({ attempts: 3 });
    const client = new ssh2.Client();
    const offered: string[] = [];
    const endless = (_left: unknown, _partial: unknown, next: (method: object) => void) => {
      const { private: key } = newKeyPair();
      offered.push(key);
      next({ type: 'publickey', username: 'git', key });
    };
    client.on('error', () => undefined);
    const closed = closeOf(client);
    client.connect({
      host: '127.0.0.1',
      port: keys.port,
      username: 'git',
      authHandler: endless as never,
    });
    await closed;
    set({ attempts });
    expect(offered).toHaveLength(4);
  });

  it('limits the concurrent commands of a connection', async () => {
    const project = await trellis.factories.project(owner);
    const client = await keys.connect();
    const run = async (): Promise<ClientChannel> =>
      (await beginCommand(client, `git-upload-pack '${project.fullPath}.git'`)).resume();
    const open = await Promise.all(Array.from({ length: limits().sessions }, run));
    await expect(run()).rejects.toThrow('Channel open failure');
    const ended = once(open[0]!, 'close');
    open[0]!.end('0000');
    await ended;
    const another = await run();
    // The process of git behind each goes with the connection.
    const closed = once(client, 'close');
    client.end();
    another.on('error', () => undefined);
    await closed;
  });

  it('cuts off a client that exceeds the window', async () => {
    const project = await trellis.factories.project(owner);
    // Nothing is read of a push while the repository is being filled.
    await trellis.rows(`UPDATE projects SET repository_state = 'importing' WHERE id = $1`, [
      project.id,
    ]);
    const { heldBytes } = limits();
    set({ heldBytes: 100_000 });
    const client = await keys.connect();
    client.on('error', () => undefined);
    const closed = closeOf(client);
    client.exec(`git-receive-pack '${project.fullPath}.git'`, (_error, channel) => {
      channel.write(Buffer.alloc(1_000_000));
    });
    await closed;
    set({ heldBytes });
    expect((await keys.ssh([])).code).toBe(0);
  });

  it('keeps its host keys over restarts and processes, readable for their owner only', async () => {
    const known = await readFile(keys.knownHosts, 'utf8');
    const names = ['ssh_host_ed25519_key', 'ssh_host_rsa_key'];
    for (const name of names) {
      const { mode } = await stat(path.join(trellis.dataDir, name));
      expect(mode & 0o777).toBe(0o600);
    }
    const other = await Trellis.start({
      because: 'settings at the start',
      servesSsh: true,
      beside: trellis,
    });
    const theirs = await SshPerson.create(other, owner);
    try {
      expect((await theirs.ssh([])).code).toBe(0);
      const key = (text: string) => text.split(' ').slice(1, 3);
      expect(key(await readFile(theirs.knownHosts, 'utf8'))).toEqual(key(known));
    } finally {
      await theirs.remove();
      await other.stop();
    }
    const rsa = ['-o', 'HostKeyAlgorithms=rsa-sha2-512', '-o', 'UserKnownHostsFile=/dev/null'];
    expect((await keys.ssh([], { options: rsa })).code).toBe(0);
  });

  it('creates each host key once, for concurrent starts', async () => {
    const folder = path.join(keys.folder, 'data');
    const loaded = await Promise.all([1, 2, 3].map(() => load(folder)));
    const [first, ...others] = loaded.map((all) => all.map((key) => key.getPublicPEM()));
    expect(first).toHaveLength(2);
    for (const other of others) expect(other).toEqual(first);
  });

  it.each(['nothing', '', 'truncated'])(
    'sets an unreadable host key aside (%j) and makes one new key for all processes',
    async (kind) => {
      const folder = path.join(keys.folder, `unreadable-${kind}`);
      const [ed25519] = await load(folder);
      const file = path.join(folder, 'ssh_host_rsa_key');
      const whole = await readFile(file, 'utf8');
      const broken = kind === 'truncated' ? whole.slice(0, 700) : kind;
      await writeFile(file, broken);
      await chmod(file, 0o644);

      const lines: string[] = [];
      const logger = pino({ level: 'warn' }, { write: (line) => void lines.push(line) });
      const loaded = await Promise.all([1, 2, 3].map(() => hostKeys().load(folder, logger)));
      const [first, ...others] = loaded.map((all) => all.map((key) => key.getPublicPEM()));
      for (const other of others) expect(other).toEqual(first);
      expect(first?.[0]).toBe(ed25519?.getPublicPEM());
      expect((await load(folder)).map((key) => key.getPublicPEM())).toEqual(first);
      expect(await readFile(file, 'utf8')).not.toBe(whole);

      const aside = `${file}.unreadable`;
      expect(await readFile(aside, 'utf8')).toBe(broken);
      for (const name of [file, aside]) expect((await stat(name)).mode & 0o777).toBe(0o600);
      expect(lines).toHaveLength(1);
      expect(JSON.parse(lines[0] ?? '')).toMatchObject({ level: 40, file, aside });
    },
  );

  it('creates host keys that it can read, also with a leading zero in the public part', () => {
    for (const { privateKey, publicKey } of [withLeadingZero(), withLeadingZero()]) {
      const read = ssh2.utils.parseKey(openSshForm(privateKey));
      if (read instanceof Error) throw read;
      expect(read.getPublicSSH().subarray(-32)).toEqual(publicBytes(publicKey));
      expect(read.verify(Buffer.from('text'), read.sign(Buffer.from('text')))).toBe(true);
    }
  });

  it('replaces only a stored host key without its leading zero', async () => {
    const folder = path.join(keys.folder, 'broken');
    await load(folder);
    const file = path.join(folder, 'ssh_host_ed25519_key');
    const rsa = await readFile(path.join(folder, 'ssh_host_rsa_key'));
    const { privateKey, publicKey } = withLeadingZero();
    await writeFile(file, withoutLeadingZero(openSshForm(privateKey)));
    expect(ssh2.utils.parseKey(await readFile(file))).toBeInstanceOf(Error);

    const loaded = await Promise.all([1, 2, 3].map(() => load(folder)));
    const replaced = await readFile(file);
    for (const [key] of loaded) {
      expect(key?.getPublicSSH().subarray(-32)).toEqual(publicBytes(publicKey));
    }
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await readFile(path.join(folder, 'ssh_host_rsa_key'))).toEqual(rsa);
    expect((await readdir(folder)).sort()).toEqual(['ssh_host_ed25519_key', 'ssh_host_rsa_key']);

    const [again] = await load(folder);
    expect(again?.getPublicSSH().subarray(-32)).toEqual(publicBytes(publicKey));
    expect(await readFile(file)).toEqual(replaced);
  });

  it.each([
    ['a passphrase', ['-t', 'ed25519', '-N', 'secret']],
    ['a passphrase, in PKCS #8', ['-t', 'rsa', '-m', 'PKCS8', '-N', 'secret']],
  ])('does not start with a configured host key that has %s', async (form, options) => {
    const folder = path.join(keys.folder, form.replaceAll(/\W/g, '-'));
    await mkdir(folder);
    const file = path.join(folder, 'ssh_host_ed25519_key');
    await promisify(execFile)('ssh-keygen', ['-q', ...options, '-f', file]);
    await unlink(`${file}.pub`);
    const before = await readFile(file);
    await expect(load(folder)).rejects.toThrow(
      `${file} holds a key that is protected by a passphrase`,
    );
    expect(await readFile(file)).toEqual(before);
    expect(await readdir(folder)).toEqual(['ssh_host_ed25519_key']);
  });

  it('converts a configured host key in PKCS #8', async () => {
    const folder = path.join(keys.folder, 'converted');
    await mkdir(folder);
    const { privateKey, publicKey } = generateKeyPairSync('ed25519');
    const file = path.join(folder, 'ssh_host_ed25519_key');
    await writeFile(file, privateKey.export({ type: 'pkcs8', format: 'pem' }));
    const [key] = await load(folder);
    expect(key?.getPublicSSH().subarray(-32)).toEqual(publicBytes(publicKey));
    expect(await readFile(file, 'utf8')).toContain('BEGIN OPENSSH PRIVATE KEY');
    expect((await readdir(folder)).sort()).toEqual(['ssh_host_ed25519_key', 'ssh_host_rsa_key']);
  });

  it('starts and serves with a broken host key', async () => {
    const file = path.join(trellis.dataDir, 'ssh_host_ed25519_key');
    const before = await readFile(file);
    const { privateKey } = withLeadingZero();
    await writeFile(file, withoutLeadingZero(openSshForm(privateKey)));
    const serving = await Trellis.start({
      because: 'settings at the start',
      servesSsh: true,
      beside: trellis,
    });
    const theirs = await SshPerson.create(serving, owner);
    try {
      expect((await theirs.ssh([])).code).toBe(0);
    } finally {
      await writeFile(file, before);
      await theirs.remove();
      await serving.stop();
    }
  });

  it('finishes running commands on shutdown, and accepts no new ones', async () => {
    const other = await Trellis.start({
      because: 'settings at the start',
      servesSsh: true,
      beside: trellis,
    });
    const theirs = await SshPerson.create(other, owner);
    try {
      const project = await other.factories.project(owner);
      const client = await theirs.connect();
      const channel = await beginCommand(client, `git-upload-pack '${project.fullPath}.git'`);
      const exit = once(channel, 'exit');
      const closed = once(client, 'close');
      await once(channel, 'data');
      const drained = other.app.get(SshServer).drain(60_000);
      const late = await new Promise<string>((resolve) => {
        client.exec(`git-upload-pack '${project.fullPath}.git'`, (_error, opened) =>
          opened.stderr.once('data', (text: Buffer) => resolve(text.toString())),
        );
      });
      expect(late).toBe('The service is being stopped. Try again later.\n');
      expect((await theirs.ssh([])).stderr).toContain('Connection refused');
      channel.end('0000');
      expect((await exit)[0]).toBe(0);
      await closed;
      await drained;
    } finally {
      await theirs.remove();
      await other.stop();
    }
  });
});
