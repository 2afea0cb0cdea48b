// Hold conversations with the service: each function resolves with what came back, and what is wrong with it.
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { until } from '../crash/processes.mjs';
import { ask } from '../hostile/http-client.mjs';
import { SshClient } from '../hostile/ssh-client.mjs';

/** After so long without a byte a client leaves that need not be answered. */
const QUIET_MS = 100;
/** What is due, an answer or the end of a connection, comes within this time. */
const DUE_MS = 20_000;
const KEPT_BYTES = 64 * 1024;

/** Notes what a stream brings, and when. */
class Listener {
  #chunks = [];
  #kept = 0;
  at = performance.now();
  isEnded = false;

  constructor(stream) {
    stream.on('data', (chunk) => {
      this.at = performance.now();
      if (this.#kept >= KEPT_BYTES) return;
      this.#kept += chunk.length;
      this.#chunks.push(chunk);
    });
    stream.on('error', () => undefined);
    for (const event of ['end', 'close']) stream.once(event, () => (this.isEnded = true));
  }

  get received() {
    return Buffer.concat(this.#chunks).toString('latin1');
  }

  get hasBytes() {
    return this.#kept > 0;
  }

  /** Resolves when nothing has come for a while. */
  quiet(isAnswered) {
    const isDone = () =>
      this.isEnded || ((this.hasBytes || !isAnswered) && performance.now() - this.at > QUIET_MS);
    return until(isDone, DUE_MS, 20);
  }
}

async function writeAll(stream, pieces) {
  for (const piece of pieces) {
    if (stream.destroyed || stream.writableEnded) return;
    if (piece.length > 0 && !stream.write(piece)) {
      const gone = new AbortController();
      const { signal } = gone;
      // A server that does not read has its reasons.
      await Promise.race([
        ...['drain', 'close'].map((event) => once(stream, event, { signal })),
        delay(QUIET_MS, undefined, { signal }),
      ]).catch(() => undefined);
      gone.abort();
    }
    if (pieces.length > 1) await delay(1);
  }
}

/** Over a plain connection. */
export async function overTcp({ port, from }, { pieces, ending, isWhole }) {
  // Node gives a request up when its client has closed its direction.
  const isAnswered = isWhole && ending === 'quiet';
  const socket = connect({ port, host: '127.0.0.1', localAddress: from, allowHalfOpen: true });
  socket.once('end', () => socket.end());
  const listener = new Listener(socket);
  await once(socket, 'connect');
  await writeAll(socket, pieces);
  let wrong;
  if (ending === 'reset') socket.resetAndDestroy();
  if (ending === 'half') {
    socket.end();
    const isEnded = await until(() => listener.isEnded, DUE_MS, 20);
    if (!isEnded) wrong = 'the connection stays open behind the end of the client';
  }
  if (ending === 'quiet') await listener.quiet(isAnswered);
  socket.destroy();
  if (isAnswered && !listener.hasBytes) wrong ??= 'no answer';
  return { received: listener.received, wrong };
}

const untilClosed = (client) => new Promise((resolve) => client.once('close', resolve));

/** Whether a client gets so far, before its connection ends. */
const hasBegun = (client, event) =>
  new Promise((resolve) => {
    client.once(event, () => resolve(true));
    client.once('close', () => resolve(false));
  });

/** Runs a command over SSH. */
export async function overSsh({ sshPort, privateKey }, conversation) {
  const { client } = new SshClient({ port: sshPort, privateKey });
  client.on('error', () => undefined);
  const closed = untilClosed(client);
  try {
    const isReady = await hasBegun(client, 'ready');
    if (!isReady) return { received: '', wrong: 'the connection is closed before sign-in' };
    const { command, environment, pieces, ending, isWhole } = conversation;
    const isAnswered = isWhole && ['quiet', 'half'].includes(ending);
    const channel = await new Promise((resolve) => {
      client.exec(command, { env: environment }, (error, stream) => resolve(error ? null : stream));
      client.once('close', () => resolve(null));
    });
    if (channel === null) return { received: '' };
    const listener = new Listener(channel);
    const errors = new Listener(channel.stderr);
    await writeAll(channel, pieces);
    let wrong;
    if (ending === 'reset') client._sock.resetAndDestroy();
    if (ending === 'close') channel.close();
    if (ending === 'half') {
      channel.end();
      const isEnded = await until(() => listener.isEnded, DUE_MS, 20);
      if (!isEnded) wrong = 'the command goes on behind the end of its input';
    }
    if (ending === 'quiet') await listener.quiet(isAnswered);
    if (isAnswered && !listener.hasBytes && !errors.hasBytes) wrong ??= 'no answer';
    return { received: listener.received + errors.received, wrong };
  } finally {
    client.destroy();
    await closed;
  }
}

/** Sends messages over SSH, before or after sign-in. */
export async function overSshMessages({ sshPort, privateKey }, conversation) {
  const { signsIn, pieces, rekeys, ending } = conversation;
  const connection = new SshClient({ port: sshPort, ...(signsIn ? { privateKey } : {}) });
  const { client } = connection;
  client.on('error', () => undefined);
  const closed = untilClosed(client);
  await hasBegun(client, signsIn ? 'ready' : 'handshake');
  for (const { bytes, count } of pieces) {
    // A server that does not read has its reasons.
    if (!connection.isClosed) await Promise.race([connection.send(bytes, count), delay(QUIET_MS)]);
  }
  if (rekeys && !connection.isClosed)
    await Promise.race([connection.rekey().catch(() => undefined), delay(QUIET_MS)]);
  if (ending === 'quiet') await Promise.race([closed, delay(QUIET_MS)]);
  if (ending === 'reset') client._sock?.resetAndDestroy();
  client.destroy();
  // The library may say nothing of a connection that was reset amid a key exchange.
  await Promise.race([closed, delay(QUIET_MS)]);
  return { received: '' };
}

/** A receiver of deliveries that gives the answer of a conversation, with a hook that delivers to it. */
export class Receiver {
  #answer = null;
  deliveries = 0;

  /** @param project whose hooks it is of */
  async open(world, project) {
    this.server = createServer((socket) => void this.#serve(socket));
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    this.world = world;
    const body = { url: `http://127.0.0.1:${this.server.address().port}/`, issues_events: true };
    const hook = await world.must({ method: 'POST', path: `${project.api}/hooks`, body });
    this.path = `${project.api}/hooks/${hook.id}`;
    return this;
  }

  close() {
    this.server.close();
  }

  /** Resolves when the service has attempted a delivery that is answered so. */
  async answer(conversation) {
    this.#answer = conversation;
    const { url } = this.world;
    const { token } = this.world.mallory;
    const sent = await ask(url, { method: 'POST', path: `${this.path}/test`, token, body: {} });
    if (sent.status !== 200) return { received: '', wrong: `the test is answered ${sent.status}` };
    const { id } = JSON.parse(sent.text);
    const path = `${this.path}/deliveries/${id}`;
    const isAttempted = await until(async () => {
      const { text } = await ask(url, { path, token });
      return JSON.parse(text).attempts > 0;
    }, DUE_MS);
    return { received: '', wrong: isAttempted ? undefined : 'the delivery is not attempted' };
  }

  async #serve(socket) {
    socket.on('error', () => undefined);
    await once(socket, 'data').catch(() => undefined);
    this.deliveries += 1;
    if (this.#answer === null) {
      socket.end('HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n');
      return;
    }
    const { pieces, ending } = this.#answer;
    socket.resume();
    await writeAll(socket, pieces);
    if (ending === 'reset') socket.resetAndDestroy();
    else if (ending === 'half') socket.end();
    else if (ending === 'close') socket.destroy();
    else setTimeout(() => socket.destroy(), 3 * QUIET_MS);
  }
}
