import { randomBytes } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import path from 'node:path';
import ssh2, { type Client } from 'ssh2';
import { sshString } from '../../../src/modules/git-access/ssh/protocol-internals.js';
import { SshLimits } from '../../../src/modules/git-access/ssh/ssh-connection.js';
import type { Person } from '../../support/factories.js';
import { beginCommand, SshPerson } from '../../support/ssh-person.js';
import { Trellis } from '../../support/trellis.js';
import { until } from '../../support/until.js';

/** What is used of the client's internals: a program that sends what it likes. */
interface Internals {
  _sock: Socket;
  _protocol: {
    /** Sends a global request that wants an answer. */
    ping: () => void;
    rekey: () => void;
    /** Sends a packet as it is. */
    _cipher: { allocPacket: (bytes: number) => Uint8Array; encrypt: (packet: Uint8Array) => void };
  };
}

const protocolOf = (client: Client) => (client as unknown as Internals)._protocol;

/** A connection of a client that counts what it is sent. */
class Peer {
  readonly client = new ssh2.Client();
  readonly answers = new Map<string, number>();
  readonly errors: string[] = [];
  readonly closed: Promise<void>;
  hasEnded = false;

  constructor(options: ssh2.ConnectConfig) {
    this.client.on('error', ({ message }) => this.errors.push(message));
    this.closed = new Promise((resolve) => this.client.once('close', () => resolve()));
    this.client.once('close', () => (this.hasEnded = true));
    this.client.connect({
      host: '127.0.0.1',
      username: 'git',
      ...options,
      debug: (line) => {
        const name = /^Inbound: Received ([A-Z_]+)/.exec(line)?.[1];
        if (name !== undefined) this.answers.set(name, this.count(name) + 1);
      },
    });
  }

  count(name: string): number {
    return this.answers.get(name) ?? 0;
  }

  /** Sends a message with nothing behind its type but the given bytes. */
  send(type: number, ...bytes: number[]): void {
    const { _cipher: cipher } = protocolOf(this.client);
    const packet = cipher.allocPacket(1 + bytes.length);
    packet.set([type, ...bytes], 5);
    cipher.encrypt(packet);
  }
}

const AUTHOR = ['-c', 'user.name=A', '-c', 'user.email=a@example.com'];
const DONE = { code: 0, stderr: '' };
const MANY = 5_000;
const TOO_MANY = 'Too many messages before authentication';

/** By name: sends such messages, after the first key exchange and before authentication. */
const MESSAGES: [name: string, send: (peer: Peer) => void][] = [
  ['global requests', ({ client }) => protocolOf(client).ping()],
  ['messages to ignore', (peer) => peer.send(2, 0, 0, 0, 0)],
  ['debug messages', (peer) => peer.send(4, 0, 0, 0, 0, 0, 0, 0, 0, 0)],
  ['unimplemented messages', (peer) => peer.send(3, 0, 0, 0, 1)],
  ['messages of an unknown type', (peer) => peer.send(200)],
  ['answers to questions', (peer) => peer.send(61, 0, 0, 0, 0)],
  ['channel requests', (peer) => peer.send(98, 0, 0, 0, 1, 0, 0, 0, 1, 97, 1)],
  ['window adjustments', (peer) => peer.send(93, 0, 0, 0, 1, 0, 0, 0, 1)],
];

describe('Git over SSH: messages', () => {
  let trellis: Trellis;
  let owner: Person;
  let keys: SshPerson;
  let privateKey: Buffer;
  let usual: SshLimits;
  const peers: Peer[] = [];

  const limits = () => trellis.app.get(SshLimits);

  beforeAll(async () => {
    trellis = await Trellis.shared({ servesSsh: true });
    owner = await trellis.factories.user();
    keys = await SshPerson.create(trellis, owner);
    privateKey = await readFile(path.join(keys.folder, 'key'));
    usual = { ...limits() };
  });
  afterEach(async () => {
    Object.assign(limits(), usual);
    for (const peer of peers.splice(0)) {
      peer.client.end();
      await peer.closed;
    }
  });
  afterAll(async () => {
    await keys.remove();
    await trellis.restore();
  });

  /** A client that has exchanged keys, and says nothing more. */
  async function exchangeKeys(): Promise<Peer> {
    const silent = () => undefined;
    const peer = new Peer({ port: keys.port, authHandler: silent });
    peers.push(peer);
    await once(peer.client, 'handshake');
    return peer;
  }

  async function signIn(): Promise<Peer> {
    const peer = new Peer({ port: keys.port, privateKey });
    peers.push(peer);
    await once(peer.client, 'ready');
    return peer;
  }

  it.each(MESSAGES)(
    'ends a connection that sends many %s before authentication',
    async (_, send) => {
      const peer = await exchangeKeys();
      for (let index = 0; index < MANY; index += 1) send(peer);
      await peer.closed;
      expect(peer.errors).toEqual([TOO_MANY]);
      expect(peer.count('REQUEST_FAILURE')).toBeLessThan(limits().messagesBeforeSignIn);
      expect((await keys.ssh([])).code).toBe(0);
    },
  );

  it.each([
    ['a failure', 51],
    ['a success', 52],
  ])(
    'ends a connection whose client answers its own authentication request with %s',
    async (_, type) => {
      const asked = new EventEmitter();
      const peer = new Peer({ port: keys.port, authHandler: () => void asked.emit('asked') });
      peers.push(peer);
      await once(asked, 'asked');
      const { _sock: socket } = peer.client as unknown as Internals;
      // At once, so that the answer is read before the service has decided.
      socket.cork();
      peer.send(50, ...['git', 'ssh-connection', 'none'].flatMap((text) => [...sshString(text)]));
      peer.send(type, ...sshString('none'), 0);
      socket.uncork();
      await peer.closed;
      expect(peer.errors).toEqual(['Unexpected answer to an authentication request']);
      expect((await keys.ssh([])).code).toBe(0);
    },
  );

  it('ends a connection that sends many messages before the key exchange', async () => {
    const socket = connect(keys.port, '127.0.0.1').on('error', () => undefined);
    const closed = new Promise((resolve) => socket.once('close', resolve));
    let received = '';
    socket.on('data', (bytes: Buffer) => (received += bytes.toString('latin1')));
    socket.write('SSH-2.0-x\r\n');
    // A message to ignore: its length, that of the padding, the type, no data.
    const message = Buffer.from([0, 0, 0, 12, 6, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    socket.write(Buffer.alloc(MANY * message.length, message));
    await closed;
    expect(received).toContain(TOO_MANY);
  });

  it('ends a connection that repeats the key exchange before authentication', async () => {
    const peer = await exchangeKeys();
    let exchanges = 1;
    peer.client.on('handshake', () => {
      exchanges += 1;
      protocolOf(peer.client).rekey();
    });
    protocolOf(peer.client).rekey();
    await peer.closed;
    expect(peer.errors).toEqual([TOO_MANY]);
    const { messagesBeforeSignIn, messagesPerKeyExchange } = limits();
    expect(exchanges).toBeLessThanOrEqual(messagesBeforeSignIn / messagesPerKeyExchange + 1);
  });

  it('refuses a key that the message does not have', async () => {
    const peer = await exchangeKeys();
    const words = ['git', 'ssh-connection', 'publickey'].map((word) => sshString(word));
    const message = Buffer.concat([...words, Buffer.of(0), sshString('ssh-ed25519')]);
    peer.send(50, ...message);
    await until(() => Promise.resolve(peer.count('USERAUTH_FAILURE') > 0 || peer.hasEnded));
    expect(peer.count('USERAUTH_FAILURE')).toBe(1);
  });

  it('reads no more of a client than its window, while others work', async () => {
    Object.assign(limits(), { messagesAtOnce: 500, messagesPerSecond: 0.001 });
    const peer = await signIn();
    for (let index = 0; index < MANY; index += 1) protocolOf(peer.client).ping();
    expect((await keys.ssh([])).code).toBe(0);
    peer.client.destroy();
    await peer.closed;
    expect(peer.count('REQUEST_FAILURE')).toBeLessThan(1_000);
  });

  it('eventually answers every message of a client', async () => {
    Object.assign(limits(), { messagesAtOnce: 500, messagesPerSecond: 50_000 });
    const peer = await signIn();
    for (let index = 0; index < MANY; index += 1) protocolOf(peer.client).ping();
    const channel = await beginCommand(peer.client, 'git-upload-pack nowhere');
    await once(channel.resume(), 'close');
    expect(peer.count('REQUEST_FAILURE')).toBe(MANY);
  });

  it('serves OpenSSH with several channels on one connection and rekeying', async () => {
    const project = await trellis.factories.project(owner);
    const work = path.join(keys.folder, 'work');
    await keys.git(['init', '-q', '-b', 'master', work]);
    await writeFile(path.join(work, 'large'), randomBytes(4_000_000));
    await keys.git(['add', '.'], work);
    await keys.git([...AUTHOR, 'commit', '-qm', 'First'], work);

    const shared = ['-o', 'ControlMaster=auto', '-o', `ControlPath=${keys.folder}/shared`];
    const options = [...shared, '-o', 'ControlPersist=60', '-o', 'RekeyLimit=256K'];
    const variables = { GIT_SSH_COMMAND: ['ssh', ...keys.options(...options)].join(' ') };
    const url = keys.url(project);
    try {
      expect(await keys.git(['push', '-q', url, 'master'], work, variables)).toMatchObject(DONE);
      const clones = Array.from({ length: 5 }, (_, index) =>
        keys.git(['clone', '-q', url, `clone-${String(index)}`], keys.folder, variables),
      );
      for (const clone of await Promise.all(clones)) expect(clone).toMatchObject(DONE);
    } finally {
      await keys.ssh([], { options: [...shared, '-O', 'exit'] });
    }
  });
});
