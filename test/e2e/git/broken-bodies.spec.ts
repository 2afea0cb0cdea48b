import { connect, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { PushedProjects } from '../../support/pushed-projects.js';
import { Trellis } from '../../support/trellis.js';

describe('a compressed body that is broken before its end', () => {
  let trellis: Trellis;
  let projects: PushedProjects;
  /** Of a public project. */
  let repository: string;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    projects = new PushedProjects(trellis, await trellis.factories.user());
    const { project } = await projects.make({ visibilityLevel: 20 });
    repository = `/${project.fullPath}.git`;
  });
  afterAll(() => projects.remove());

  const PROMISED = 4_000_000;

  /** Sends the beginning of a body as an anonymous client. */
  function begin(body: Buffer): Socket {
    const { hostname, port } = new URL(trellis.url);
    const client = connect(Number(port), hostname).setEncoding('latin1');
    client.write(
      [
        `POST ${repository}/git-upload-pack HTTP/1.1`,
        `Host: ${hostname}`,
        'Content-Type: application/x-git-upload-pack-request',
        'Content-Encoding: gzip',
        `Content-Length: ${String(PROMISED)}`,
        '\r\n',
      ].join('\r\n'),
    );
    client.write(body);
    return client;
  }

  async function answerOf(client: Socket): Promise<string> {
    let text = '';
    for await (const part of client) text += String(part);
    return text;
  }

  const HEADER = Buffer.from('1f8b0800000000000003', 'hex');
  const BODIES: Record<string, () => Buffer> = {
    'is not compressed at all': () => Buffer.from('0011command=ls-refs'),
    'has a block of no known kind': () => Buffer.concat([HEADER, Buffer.alloc(64, 0xff)]),
  };

  it.each(Object.keys(BODIES))('is answered, and harms nobody else, when it %s', async (kind) => {
    const client = begin(BODIES[kind]?.() ?? Buffer.alloc(0));
    const answer = await answerOf(client);
    expect(answer).toMatch(/^HTTP\/1\.1 4\d\d /);
    const refs = await fetch(`${trellis.url}${repository}/info/refs?service=git-upload-pack`);
    expect([refs.status, await refs.text()]).toEqual([
      200,
      expect.stringContaining('refs/heads/master'),
    ]);
  });

  it('is discarded when its sender sends all of it before reading', async () => {
    const body = BODIES['is not compressed at all']?.() ?? Buffer.alloc(0);
    const client = begin(body);
    client.write(Buffer.alloc(PROMISED - body.length));
    expect(await answerOf(client)).toMatch(/^HTTP\/1\.1 400 /);
  });

  it('ends with its sender', async () => {
    const client = begin(gzipSync(Buffer.alloc(100_000)).subarray(0, 20));
    client.end();
    expect(await answerOf(client)).toMatch(/^(HTTP\/1\.1 400 |$)/);
    const refs = await fetch(`${trellis.url}${repository}/info/refs?service=git-upload-pack`);
    expect(refs.status).toBe(200);
  });
});
