import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { json } from 'node:stream/consumers';
import {
  type FilePart,
  type FileReceiver,
  ReceivedFile,
} from '../../../src/platform/http/index.js';
import request from 'supertest';
import { KNOWN_TOKEN, tinyApp, type TinyApp } from './support/tiny-app.js';

const MIB = 1024 * 1024;

/** Takes files for one path only, up to 3 MiB, and keeps their hashes. */
class HashingReceiver implements FileReceiver {
  readonly hashes: string[] = [];
  readonly failures: unknown[] = [];
  onFailure: (() => void) | undefined;

  accepts({ path }: { path: string }): Promise<number | undefined> {
    return Promise.resolve(path === '/api/v3/odd/files' ? 3 * MIB : undefined);
  }

  async receive({ filename, content }: FilePart): Promise<ReceivedFile> {
    const hash = createHash('sha256');
    try {
      for await (const chunk of content) {
        hash.update(chunk as Buffer);
      }
    } catch (failure) {
      this.failures.push(failure);
      this.onFailure?.();
      throw failure;
    }
    this.hashes.push(hash.digest('hex'));
    return new ReceivedFile(filename, '/x');
  }
}

describe('file parts', () => {
  const file = Buffer.alloc(2.5 * MIB, 'f');
  let receiver: HashingReceiver;
  let tiny: TinyApp;

  beforeEach(async () => {
    receiver = new HashingReceiver();
    tiny = await tinyApp({ fileReceiver: receiver });
  });

  afterEach(() => tiny.close());

  it('are streamed to their receiver, next to the fields', async () => {
    await request(tiny.app.getHttpServer())
      .post('/api/v3/odd/files')
      .set('PRIVATE-TOKEN', KNOWN_TOKEN)
      .field('a', '1')
      .attach('file', file, { filename: 'ä/../x.bin', contentType: 'a/b' })
      .expect(200, {
        file: { filename: 'x.bin', path: '/x' },
      });
    expect(receiver.hashes).toEqual([createHash('sha256').update(file).digest('hex')]);
  });

  it('are dropped without a receiver', async () => {
    await request(tiny.app.getHttpServer())
      .post('/api/v3/things')
      .field('title', 'x')
      .attach('file', Buffer.from('f'), 'x.bin')
      .expect(200, { title: 'x' });
    expect(receiver.hashes).toEqual([]);
  });

  it('are refused beyond the limit of their receiver, which is notified', async () => {
    const parts = [
      Buffer.from('--x\r\nContent-Disposition: form-data; name="file"; filename="x"\r\n\r\n'),
      Buffer.alloc(4 * MIB),
      Buffer.from('\r\n--x--\r\n'),
    ];
    const { status, body } = await send(tiny, parts, {
      'Transfer-Encoding': 'chunked',
      'PRIVATE-TOKEN': KNOWN_TOKEN,
    });
    expect([status, body]).toEqual([413, { message: '413 Request Entity Too Large' }]);
    expect(receiver.failures).toHaveLength(1);
    expect(receiver.hashes).toEqual([]);
  });

  it('are refused early when the announced size is beyond it', async () => {
    await request(tiny.app.getHttpServer())
      .post('/api/v3/odd/files')
      .set('PRIVATE-TOKEN', KNOWN_TOKEN)
      .attach('file', Buffer.alloc(4 * MIB), 'x.bin')
      .expect(413, { message: '413 Request Entity Too Large' });
    expect([receiver.failures, receiver.hashes]).toEqual([[], []]);
  });

  it('end with an error when the client disconnects', async () => {
    const failed = new Promise<void>((resolve) => (receiver.onFailure = resolve));
    const socket = connect((tiny.app.getHttpServer().address() as { port: number }).port);
    socket.write(
      [
        'POST /api/v3/odd/files HTTP/1.1',
        'Host: x',
        'Content-Type: multipart/form-data; boundary=x',
        'Content-Length: 5000',
        '',
        '--x',
        'Content-Disposition: form-data; name="file"; filename="x"',
        '',
        'some content',
      ].join('\r\n'),
      () => socket.end(),
    );
    await failed;
    expect(receiver.failures).toHaveLength(1);
    expect(receiver.hashes).toEqual([]);
  });
});

/** Sends a body with the boundary `x` piece by piece. */
async function send(
  tiny: TinyApp,
  parts: readonly Buffer[],
  headers: Record<string, string>,
): Promise<{ status: number | undefined; body: unknown }> {
  const { port } = tiny.app.getHttpServer().address() as { port: number };
  const outgoing = httpRequest({
    port,
    method: 'POST',
    path: '/api/v3/odd/files',
    headers: { ...headers, 'Content-Type': 'multipart/form-data; boundary=x' },
  });
  for (const part of parts) outgoing.write(part);
  outgoing.end();
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
  return { status: response.statusCode, body: await json(response) };
}
