import { EventEmitter, once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Connection, ServerChannel } from 'ssh2';
import { ChannelOutput } from '../../../src/modules/git-access/ssh/ssh-session.js';

const CHUNK = Buffer.alloc(64 * 1024, 'x');

describe('the output of git to a channel', () => {
  let server: Server;
  let near: Socket;
  let far: Socket;
  let client: EventEmitter;
  /** Whether keys are being exchanged: the library keeps packets to itself until that is over. */
  let exchanging: boolean;
  let kept: Buffer[];
  let gone: AbortController;
  let output: ChannelOutput;

  beforeEach(async () => {
    server = createServer({ pauseOnConnect: true });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const accepted = once(server, 'connection') as Promise<[Socket]>;
    near = connect((server.address() as AddressInfo).port, '127.0.0.1');
    [far] = await accepted;
    client = new EventEmitter();
    exchanging = false;
    kept = [];
    gone = new AbortController();
    // A channel whose client has opened a window without end.
    const channel = new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        if (exchanging) kept.push(chunk);
        else near.write(chunk);
        done();
      },
    });
    const line = { socket: near, client: client as unknown as Connection };
    output = new ChannelOutput(channel as unknown as ServerChannel, line, gone.signal);
  });
  afterEach(async () => {
    near.destroy();
    far.destroy();
    server.close();
    await once(server, 'close');
  });

  function* chunks(count: number): Generator<Buffer> {
    for (let made = 0; made < count; made += 1) yield CHUNK;
  }

  it('waits for a client that does not read, and is delivered completely', async () => {
    const count = 1_600;
    let taken = 0;
    const source = Readable.from(chunks(count)).on('data', () => (taken += 1));
    const piped = pipeline(source, output);
    let most = 0;
    let before = -1;
    while (taken !== before) {
      before = taken;
      for (let turn = 0; turn < 200; turn += 1) {
        await new Promise(setImmediate);
        most = Math.max(most, near.writableLength);
      }
    }
    expect(taken).toBeLessThan(count);
    expect(most).toBeLessThan(1024 * 1024);
    let received = 0;
    far.on('data', (bytes: Buffer) => (received += bytes.length)).resume();
    await piped;
    await output.finish();
    near.end();
    await once(far, 'end');
    expect(received).toBe(count * CHUNK.length);
  });

  it('is held back during a key exchange', async () => {
    exchanging = true;
    for (let made = 0; made < 50; made += 1) output.write(CHUNK);
    for (let turn = 0; turn < 200; turn += 1) await new Promise(setImmediate);
    expect(kept).toHaveLength(1);
    exchanging = false;
    client.emit('rekey');
    far.resume();
    await output.finish();
    expect(near.bytesWritten).toBe(49 * CHUNK.length);
  });

  it('ends when the client disconnects', async () => {
    const piped = pipeline(Readable.from(chunks(1_600)), output);
    const failed = expect(piped).rejects.toMatchObject({ code: 'ERR_STREAM_PREMATURE_CLOSE' });
    await new Promise(setImmediate);
    gone.abort();
    await failed;
    await output.finish();
    expect(near.listenerCount('drain') + client.listenerCount('rekey')).toBe(0);
  });
});
