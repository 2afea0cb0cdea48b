import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import path from 'node:path';
import type { Person } from '../../support/factories.js';
import { DownloadSlots } from '../../../src/modules/authorization/index.js';
import { DOWNLOADS } from '../../../src/platform/limits/index.js';
import { PushedProjects, type PushedProject } from '../../support/pushed-projects.js';
import { Trellis } from '../../support/trellis.js';
import { until } from '../../support/until.js';

const MIB = 1024 * 1024;

describe('the budget of a request or a client', () => {
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

  /** A connection of its own, of which answers are read when they are asked for. */
  async function dial(localAddress: string, request: string): Promise<Socket> {
    const { port } = new URL(trellis.url);
    const socket = connect({ port: Number(port), host: '127.0.0.1', localAddress });
    sockets.push(socket);
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    socket.write(request);
    return socket;
  }

  const post = (to: string, length: number, token?: string): string =>
    [
      `POST /api/v3${to} HTTP/1.1`,
      'Host: x',
      'Content-Type: application/json',
      `Content-Length: ${String(length)}`,
      ...(token === undefined ? [] : [`PRIVATE-TOKEN: ${token}`]),
      '\r\n',
    ].join('\r\n');

  async function firstLine(socket: Socket): Promise<string> {
    const [bytes] = (await once(socket, 'data')) as [Buffer];
    return bytes.toString('latin1').split('\r\n')[0] ?? '';
  }

  it('refuses a request before its body is received', async () => {
    const { id } = pushed.project;
    const answers = async (to: string, length: number, token?: string) =>
      (await firstLine(await dial('127.0.0.1', post(to, length, token)))).slice(9, 12);
    expect(await answers('/nowhere', 20 * MIB)).toBe('404');
    expect(await answers('/session', 65_537)).toBe('413');
    expect(await answers(`/projects/${String(id)}/issues`, 13 * MIB, owner.token)).toBe('413');
    expect(await answers(`/projects/${String(id)}/labels`, 2 * MIB, owner.token)).toBe('413');
    expect(await answers(`/projects/${String(id)}/repository/commits`, 21 * MIB, owner.token)).toBe(
      '413',
    );
  });

  it('accepts long texts in every encoding', async () => {
    const issues = `/projects/${String(pushed.project.id)}/issues`;
    const description = '日'.repeat(400_000);
    const bodies: [string, string][] = [
      ['form', new URLSearchParams({ title: 'x', description }).toString()],
      ['json', `{"title":"x","description":"${'\\u65e5'.repeat(400_000)}"}`],
    ];
    for (const [type, body] of bodies) {
      const { body: issue } = await trellis
        .as(owner)
        .call('post', issues)
        .type(type)
        .send(body)
        .expect(200);
      expect((issue as { description: string }).description === description).toBe(true);
    }
    const labels = 'a,'.repeat(10_001);
    await trellis
      .as(owner)
      .post(issues, { title: 'x', labels })
      .expect(400, { error: 'labels is invalid' });
  });

  it('requires a credential of unknown clients before other checks', async () => {
    const { id } = pushed.project;
    const body = JSON.stringify({ title: 'x'.repeat(200_000) });
    const call = () =>
      trellis.anonymous
        .call('post', `/projects/${String(id)}/issues`)
        .type('json')
        .send(body);
    await call().expect(401);
    await call().set('PRIVATE-TOKEN', 'x'.repeat(20)).expect(401);
  });

  it('accepts a long text in a form with the credential at the end', async () => {
    const { id } = pushed.project;
    const description = 'word '.repeat(30_000);
    const form = new URLSearchParams({ title: 'Long', description, private_token: owner.token });
    const answer = await trellis.anonymous
      .call('post', `/projects/${String(id)}/issues`)
      .type('form')
      .send(form.toString())
      .expect(200);
    expect((answer.body as { description: string }).description).toBe(description);
  });

  it('accepts a commit of 15 MiB, and no JSON of many values', async () => {
    const { id } = pushed.project;
    const commit = (content: string, more: object[] = []) =>
      trellis.as(owner).post(`/projects/${String(id)}/repository/commits`, {
        branch_name: 'master',
        commit_message: 'Large',
        actions: [{ action: 'create', file_path: 'large.txt', content }, ...more],
      });
    const text = 'a line of text\n'.repeat(MIB);
    const many = Array.from({ length: 25_000 }, () => ({}));
    const refused = await commit(text, many);
    expect([refused.status, refused.body]).toEqual([400, { error: 'too many parameters' }]);
    const answer = await commit(text);
    expect([answer.status, (answer.body as { title?: string }).title ?? answer.text]).toEqual([
      200,
      'Large',
    ]);
  });

  it('keeps slots for downloads of others beside stalled ones', async () => {
    const { work } = pushed;
    await writeFile(path.join(work.folder, 'large'), Buffer.alloc(24 * MIB));
    await work.commit('Large');
    expect((await work.push('HEAD:refs/heads/blob')).code).toBe(0);
    const place = `/api/v3/projects/${String(pushed.project.id)}/repository/blobs/blob?filepath=large`;
    const get = `GET ${place} HTTP/1.1\r\nHost: x\r\nPRIVATE-TOKEN: ${owner.token}\r\n\r\n`;
    const slots = trellis.app.get(DownloadSlots);
    for (let opened = 0; opened < 16; opened += 1) (await dial('127.0.0.1', get)).pause();
    await until(() => Promise.resolve(slots.taken === 4));
    const reader = await trellis.factories.user();
    await trellis.as(owner).post(`/projects/${String(pushed.project.id)}/members`, {
      user_id: reader.user.id,
      access_level: 30,
    });
    const archive = `/projects/${String(pushed.project.id)}/repository/archive`;
    const download = async (token: string): Promise<[number, string | null]> => {
      const headers = { 'PRIVATE-TOKEN': token };
      const answer = await fetch(`${trellis.url}/api/v3${archive}`, { headers });
      await answer.arrayBuffer();
      return [answer.status, answer.headers.get('content-type')];
    };
    expect(await download(reader.token)).toEqual([200, 'application/gzip']);
    await until(() => Promise.resolve(slots.taken === 4));
    for (const socket of sockets) socket.destroy();
    await until(() => Promise.resolve(slots.taken === 0));
    expect(await download(owner.token)).toEqual([200, 'application/gzip']);
  });

  it('keeps slots for downloads of others beside stalled ones of two addresses without a credential', async () => {
    const { project, work } = await projects.make({ visibilityLevel: 20 });
    await writeFile(path.join(work.folder, 'large'), Buffer.alloc(24 * MIB));
    await work.commit('Large');
    expect((await work.push('HEAD:refs/heads/large')).code).toBe(0);
    const base = `/api/v4/projects/${String(project.id)}/repository`;
    const get = `GET ${base}/files/large/raw?ref=large HTTP/1.1\r\nHost: x\r\n\r\n`;
    const slots = trellis.app.get(DownloadSlots);
    for (const address of ['127.0.0.2', '127.0.0.3']) {
      for (let opened = 0; opened < 16; opened += 1) (await dial(address, get)).pause();
    }
    const held = DOWNLOADS.total - DOWNLOADS.reserved.slots;
    await until(() => Promise.resolve(slots.taken === held));
    for (const headers of [{}, { 'PRIVATE-TOKEN': owner.token }]) {
      const answer = await fetch(`${trellis.url}${base}/archive`, { headers });
      await answer.arrayBuffer();
      expect(answer.status).toBe(200);
      await until(() => Promise.resolve(slots.taken === held));
    }
  });
});
