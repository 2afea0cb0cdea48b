import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import path from 'node:path';
import type { AnswerSlots } from '../../../src/platform/http/answers/send-answer.js';
import { ANSWER_BYTES, ANSWER_MEMORY, type FairSlots } from '../../../src/platform/limits/index.js';
import { pushDirectly } from '../../support/direct-push.js';
import type { Person } from '../../support/factories.js';
import { blobObject, commitObject, treeObject } from '../../support/git-objects.js';
import { type PushedProject, PushedProjects } from '../../support/pushed-projects.js';
import { Trellis } from '../../support/trellis.js';
import { until } from '../../support/until.js';
import { PATIENT_MS, withWait } from '../../support/with-wait.js';

jest.setTimeout(120_000);

const KIB = 1024;
const MIB = 1024 * KIB;
const EMPTY_TREE = treeObject(new Map()).oid;
/** More as JSON than the system takes from a process before its client reads. */
const LARGE_BYTES = 12 * MIB;

/** Requests whose answers are not read. */
const STALLED = 6;

/** Reads below a project, by version. */
const READS: readonly (readonly [string, string])[] = [
  ['v4', 'repository/files/medium?ref=large'],
  ['v4', 'repository/blobs/BLOB'],
  ['v4', 'repository/tree?ref=large'],
  ['v4', 'repository/tree?ref=large&recursive=true'],
  ['v4', 'repository/commits/large/diff'],
  ['v4', 'repository/compare?from=master&to=large'],
  ['v4', 'merge_requests/IID/changes'],
  ['v4', 'merge_requests/IID/diffs'],
  ['v4', 'merge_requests/IID/versions/VERSION'],
  ['v4', 'repository/files/medium/blame?ref=large'],
  ['v3', 'repository/files?file_path=medium&ref=large'],
  ['v3', 'repository/tree?ref_name=large'],
  ['v3', 'repository/tree?ref_name=large&recursive=true'],
  ['v3', 'repository/commits/large/diff'],
  ['v3', 'repository/compare?from=master&to=large'],
  ['v3', 'merge_requests/ID/changes'],
  ['v3', 'merge_requests/ID/versions/VERSION'],
];

describe('The memory of answers', () => {
  let trellis: Trellis;
  let owner: Person;
  let reader: Person;
  let projects: PushedProjects;
  let pushed: PushedProject;
  let memory: FairSlots;
  let names: Record<string, string>;
  const sockets: Socket[] = [];

  beforeAll(async () => {
    trellis = await Trellis.shared();
    ({ memory } = Reflect.get(trellis.app.getHttpAdapter(), 'slots') as AnswerSlots);
    owner = await trellis.factories.user();
    reader = await trellis.factories.user();
    projects = new PushedProjects(trellis, owner);
    pushed = await projects.make({ visibilityLevel: 20 });
    const { work, project } = pushed;
    await writeFile(path.join(work.folder, 'large'), randomBytes(LARGE_BYTES));
    await writeFile(path.join(work.folder, 'medium'), randomBytes(3 * MIB));
    await work.commit('Large');
    expect((await work.push('HEAD:refs/heads/large')).code).toBe(0);
    const api = trellis.as(owner);
    const requests = `/projects/${String(project.id)}/merge_requests`;
    const input = { source_branch: 'large', target_branch: 'master', title: 'Large' };
    const { body } = await api.post(requests, input).expect(200);
    const { id, iid } = body as { id: number; iid: number };
    const versions = await api.get(`${requests}/${String(id)}/versions`).expect(200);
    const [version] = versions.body as { id: number }[];
    names = {
      BLOB: await work.git('rev-parse', 'HEAD:medium'),
      IID: String(iid),
      ID: String(id),
      VERSION: String(version?.id),
    };
  });
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    await until(() => Promise.resolve(memory.taken === 0));
  });
  afterAll(() => projects.remove());

  const addressOf = (version: string, read: string): string =>
    `/api/${version}/projects/${String(pushed.project.id)}/${read.replace(/\b[A-Z]+\b/g, (name) => names[name] ?? name)}`;

  const ask = (address: string): Promise<Response> =>
    fetch(`${trellis.url}${address}`, { headers: { 'PRIVATE-TOKEN': reader.token } });

  /** Requests something from an address of the loopback network, and reads nothing of the answer. */
  async function stall(localAddress: string, address: string): Promise<void> {
    const { port } = new URL(trellis.url);
    const socket = connect({ port: Number(port), host: '127.0.0.1', localAddress });
    sockets.push(socket);
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    socket.pause();
    socket.write(`GET ${address} HTTP/1.1\r\nHost: x\r\n\r\n`);
  }

  it.each(READS)(
    'is counted for %s %s, and refused beyond the share of a user',
    async (version, read) => {
      const address = addressOf(version, read);
      const caller = { address: '192.0.2.1', userId: reader.user.id };
      const release = memory.take(caller, ANSWER_MEMORY.perUser);
      try {
        const refused = await withWait(ANSWER_MEMORY, 1, () => ask(address));
        expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1']);
      } finally {
        release();
      }
      const answer = await ask(address);
      await answer.arrayBuffer();
      expect(answer.status).toBe(200);
    },
  );

  it('is counted for bodies that are larger than expected, without waiting', async () => {
    const tree = await pushed.work.git('rev-parse', 'HEAD^{tree}');
    const commit = commitObject(tree, [], '\x01'.repeat(MIB - KIB));
    const by = { project: pushed.project, person: owner };
    await pushDirectly(trellis, by, new Map([['refs/heads/message', commit.oid]]), [commit]);
    const address = addressOf('v4', `repository/commits/${commit.oid}`);
    const caller = { address: '192.0.2.1', userId: reader.user.id };
    const release = memory.take(caller, ANSWER_MEMORY.perUser);
    const [refused, usual] = await Promise.all([
      ask(address),
      ask(addressOf('v4', 'repository/commits/master')),
    ]);
    release();
    expect([refused.status, refused.headers.get('etag'), usual.status]).toEqual([429, null, 200]);
    const answer = await ask(address);
    expect(answer.status).toBe(200);
    expect(((await answer.json()) as { message: string }).message).toHaveLength(MIB - KIB + 1);
  });

  it('is counted for all files of a folder', async () => {
    const { project } = await projects.make({ visibilityLevel: 20 });
    const blob = blobObject('');
    const numbers = Array.from({ length: 200_000 }, (_, number) => String(number).padStart(6, '0'));
    const folder = treeObject(new Map(numbers.map((number) => [`file-${number}`, blob.oid])));
    const commit = commitObject(folder.oid, [], 'Many files');
    const by = { project, person: owner };
    await pushDirectly(trellis, by, new Map([['refs/heads/many', commit.oid]]), [
      blob,
      folder,
      commit,
    ]);
    const address = `/api/v4/projects/${String(project.id)}/repository/tree?ref=many`;
    const caller = { address: '192.0.2.1', userId: reader.user.id };
    const weight = ANSWER_BYTES.perFolderByte * folder.content.length;
    const release = memory.take(caller, ANSWER_MEMORY.perUser - weight + MIB);
    try {
      const refused = await withWait(ANSWER_MEMORY, 1, () => ask(address));
      expect(refused.status).toBe(429);
    } finally {
      release();
    }
    const answer = await ask(address);
    expect(answer.status).toBe(200);
    expect(await answer.json()).toHaveLength(20);
  });

  it('is not filled by names, addresses and parents of commits in lists', async () => {
    const { project, head } = await projects.make({ visibilityLevel: 20 });
    const long = 'n'.repeat(300);
    const author = `${long} <${long}@example.com>`;
    const roots = Array.from({ length: 100 }, (_, number) =>
      commitObject(EMPTY_TREE, [], `Root ${String(number)}`, author),
    );
    const ids = [head, ...roots.map(({ oid }) => oid)];
    const commit = commitObject(EMPTY_TREE, ids, 'Merge', author);
    const by = { project, person: owner };
    await pushDirectly(trellis, by, new Map([['refs/heads/master', commit.oid]]), [
      treeObject(new Map()),
      ...roots,
      commit,
    ]);
    const base = `/projects/${String(project.id)}/repository`;
    const cut = `${'n'.repeat(255)}…`;
    const listed = { author_name: cut, author_email: cut, committer_name: cut };
    const { v4 } = trellis.anonymous;
    const list = await v4.get(`${base}/commits?per_page=1`).expect(200);
    const compared = await v4.get(`${base}/compare?from=${head}&to=master`).expect(200);
    const branch = await v4.get(`${base}/branches/master`).expect(200);
    const contributors = await trellis.as(owner).v4.get(`${base}/contributors`).expect(200);
    expect(contributors.body).toContainEqual(
      expect.objectContaining({ name: cut, email: cut, commits: roots.length }),
    );
    const commits = [
      (list.body as object[])[0],
      (compared.body as { commit: object }).commit,
      (branch.body as { commit: object }).commit,
    ];
    for (const one of commits) {
      expect(one).toMatchObject({ ...listed, parent_ids: ids.slice(0, 100) });
    }
    const whole = await v4.get(`${base}/commits/${commit.oid}`).expect(200);
    expect(whole.body).toMatchObject({ author_name: long, parent_ids: ids });
  });

  it('is not needed by readers who have the answer', async () => {
    const address = `/projects/${String(pushed.project.id)}/repository/files/medium?ref=large`;
    const client = trellis.as(reader).v4;
    const { headers } = await client.get(address).expect(200);
    await until(() => Promise.resolve(memory.taken === 0));
    const caller = { address: '192.0.2.1', userId: reader.user.id };
    const release = memory.take(caller, ANSWER_MEMORY.perUser);
    const known = await client.get(address).set('If-None-Match', String(headers['etag']));
    release();
    expect(known.status).toBe(304);
  });

  it.each([
    ['v4', 'repository/files/large?ref=large'],
    ['v3', 'repository/files?file_path=large&ref=large'],
  ])(
    'of files of %s is bounded while clients do not read, and left to others',
    async (version, read) => {
      const address =
        version === 'v4'
          ? addressOf(version, read)
          : `${addressOf(version, read)}&private_token=${owner.token}`;
      await withWait(ANSWER_MEMORY, PATIENT_MS, async () => {
        for (let count = 0; count < STALLED; count += 1) await stall('127.0.0.2', address);
        const each = ANSWER_BYTES.perFileByte * LARGE_BYTES;
        const served = Math.floor(ANSWER_MEMORY.perAddress / each);
        await until(() => Promise.resolve(memory.taken === served * each));
        const lines = Reflect.get(memory, 'lines') as ReadonlyMap<string, unknown[]>;
        await until(() =>
          Promise.resolve((lines.get('127.0.0.2') ?? []).length === STALLED - served),
        );
        expect(memory.taken).toBe(served * each);
        const other = await ask(addressOf('v4', 'repository/files/medium?ref=large'));
        await other.arrayBuffer();
        expect(other.status).toBe(200);
      });
    },
  );

  it('suffices for a client that reads twenty files at once', async () => {
    const address = addressOf('v4', 'repository/files/medium?ref=large');
    const statuses = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const answer = await ask(address);
        await answer.arrayBuffer();
        return answer.status;
      }),
    );
    expect(statuses).toEqual(Array.from({ length: 20 }, () => 200));
  });
});
