import { randomBytes } from 'node:crypto';
import type { Socket } from 'node:net';
import { FLUSH_PACKET, pktLine, ZERO_OID } from '../../../src/git/index.js';
import {
  type ChunkedRequest,
  converse,
  headOfChunked,
  inChunks,
} from '../../support/chunked-body.js';
import type { Person } from '../../support/factories.js';
import { PushedProjects, type PushedProject } from '../../support/pushed-projects.js';
import { PushedRefs } from '../../support/pushed-refs.js';
import { Trellis } from '../../support/trellis.js';
import { packOf } from '../../unit/git/support/raw-push.js';

const MIB = 1024 * 1024;
const JSON_TYPE = { 'Content-Type': 'application/json' };
/** A whole answer in JSON, or the last one of a connection. */
const ANSWERED = /\}$/;
const LAST = /Connection: close.*\}$/s;
const REFUSAL = { error: 'The request body comes in too many small chunks' };

describe('chunked bodies', () => {
  let trellis: Trellis;
  let owner: Person;
  let projects: PushedProjects;
  let pushed: PushedProject;
  const sockets: Socket[] = [];

  beforeAll(async () => {
    trellis = await Trellis.shared();
    owner = await trellis.factories.user();
    projects = new PushedProjects(trellis, owner);
    pushed = await projects.make();
  });
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.destroy();
  });
  afterAll(async () => {
    await projects.remove();
  });

  async function send(bytes: readonly (string | Buffer)[], until?: RegExp): Promise<string> {
    const { text, socket } = await converse(trellis.url, bytes, until);
    sockets.push(socket);
    return text;
  }

  const api = (path: string): string => `/api/v3/projects/${String(pushed.project.id)}${path}`;
  const git = (service: string): string => `/${pushed.project.fullPath}.git/${service}`;
  const basic = (): string =>
    `Basic ${Buffer.from(`${owner.user.username}:${owner.token}`).toString('base64')}`;

  const REQUESTS: [string, () => ChunkedRequest][] = [
    ['a session', () => ({ path: '/api/v3/session', headers: JSON_TYPE })],
    ['a form', () => ({ path: api('/issues'), headers: { 'PRIVATE-TOKEN': owner.token } })],
    [
      'a commit',
      () => ({
        path: api('/repository/commits'),
        headers: { ...JSON_TYPE, 'PRIVATE-TOKEN': owner.token },
      }),
    ],
    [
      'an upload',
      () => ({
        path: api('/uploads'),
        headers: {
          'Content-Type': 'multipart/form-data; boundary=x',
          'PRIVATE-TOKEN': owner.token,
        },
      }),
    ],
    ['a fetch', () => ({ path: git('git-upload-pack'), headers: { Authorization: basic() } })],
    ['a push', () => ({ path: git('git-receive-pack'), headers: { Authorization: basic() } })],
  ];

  it.each(REQUESTS)(
    'refuses %s in chunks of one byte, and closes the connection',
    async (_, of) => {
      const body = inChunks(Buffer.alloc(200_000, ' '), 1);
      const text = await send([headOfChunked(of()), body], ANSWERED);
      const [head = '', answer = ''] = text.split('\r\n\r\n').slice(-2);
      expect([head.slice(0, 12), JSON.parse(answer)]).toEqual(['HTTP/1.1 400', REFUSAL]);
      expect(head).toContain('Connection: close');
    },
  );

  it('refuses a pack in chunks of one byte after its commands, and stores nothing of it', async () => {
    const refs = new PushedRefs(trellis, pushed.project);
    const before = await refs.targets();
    const { work } = await projects.make();
    const head = await work.commit(randomBytes(50_000).toString('hex'));
    const command = pktLine(`${ZERO_OID} ${head} refs/heads/pieces\0report-status\n`);
    const beginning = inChunks(Buffer.concat([command, FLUSH_PACKET]), 1_000).subarray(0, -5);
    const pack = inChunks(await packOf(work.folder, head), 1);
    const headers = { Authorization: basic() };
    const request = headOfChunked({ path: git('git-receive-pack'), headers });
    const refused = send([request, beginning, pack]);
    const other = await trellis.anonymous.get('/version');
    expect(other.status).toBe(401);
    expect(await refused).toMatch(/^HTTP\/1.1 400/);
    expect(await refs.targets()).toEqual(before);
    await refs.expectSound();
  });

  it.each([
    { method: 'POST', path: '/api/v3/nowhere', status: 404 },
    { method: 'GET', path: '/healthz', status: 200 },
    { method: 'GET', path: '/api/v3/user', status: 401 },
  ])('closes a connection that keeps sending small chunks after a $status', async (request) => {
    const body = inChunks(Buffer.alloc(200_000, ' '), 1);
    const text = await send([headOfChunked({ ...request, headers: JSON_TYPE }), body]);
    expect(text.match(/HTTP\/1.1 \d+/g)).toEqual([`HTTP/1.1 ${String(request.status)}`]);
  });

  it('handles no request after small chunks that it refuses', async () => {
    const small = inChunks(Buffer.alloc(2_000, ' '), 1);
    const first = headOfChunked({ path: '/api/v3/session', headers: JSON_TYPE });
    const next = 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n';
    const text = await send([Buffer.concat([Buffer.from(first), small, Buffer.from(next)])]);
    expect(text.match(/HTTP\/1.1 \d+/g)).toEqual(['HTTP/1.1 400']);
  });

  it('counts the chunks of all bodies of a connection', async () => {
    const body = inChunks(Buffer.alloc(400, ' '), 1);
    const request = Buffer.concat([
      Buffer.from(headOfChunked({ path: '/api/v3/session', headers: JSON_TYPE })),
      body,
    ]);
    const text = await send([Buffer.concat([request, request, request, request])], LAST);
    expect(text.slice(text.lastIndexOf('{'))).toBe(JSON.stringify(REFUSAL));
  });

  it('accepts hundreds of small chunks, and any number of larger ones', async () => {
    const title = 'Few';
    const headers = { ...JSON_TYPE, 'PRIVATE-TOKEN': owner.token };
    const few = inChunks(Buffer.from(JSON.stringify({ title, description: 'a'.repeat(300) })), 1);
    const issue = await send([headOfChunked({ path: api('/issues'), headers }), few], ANSWERED);
    expect(issue.slice(0, 12)).toBe('HTTP/1.1 200');
    const commit = {
      branch_name: 'master',
      commit_message: 'Many',
      actions: [{ action: 'create', file_path: 'many.txt', content: 'a line\n'.repeat(MIB / 7) }],
    };
    const many = inChunks(Buffer.from(JSON.stringify(commit)), 80);
    const made = await send(
      [headOfChunked({ path: api('/repository/commits'), headers }), many],
      ANSWERED,
    );
    expect(made.slice(0, 12)).toBe('HTTP/1.1 200');
    const content = await trellis
      .as(owner)
      .get(api('/repository/blobs/master?filepath=many.txt').slice(7));
    expect(content.text === 'a line\n'.repeat(MIB / 7)).toBe(true);
  });

  it('stores an upload in chunks as it was sent', async () => {
    const content = randomBytes(300_000);
    const body = Buffer.concat([
      Buffer.from('--x\r\nContent-Disposition: form-data; name="file"; filename="a.bin"\r\n\r\n'),
      content,
      Buffer.from('\r\n--x--\r\n'),
    ]);
    const headers = {
      'Content-Type': 'multipart/form-data; boundary=x',
      'PRIVATE-TOKEN': owner.token,
    };
    const chunks = inChunks(body, 100);
    const text = await send([headOfChunked({ path: api('/uploads'), headers }), chunks], ANSWERED);
    const { url } = JSON.parse(text.split('\r\n\r\n').at(-1) ?? '') as { url: string };
    const stored = await fetch(`${trellis.url}/${pushed.project.fullPath}${url}`, {
      headers: { 'PRIVATE-TOKEN': owner.token },
    });
    expect(Buffer.from(await stored.arrayBuffer()).equals(content)).toBe(true);
  });
});
