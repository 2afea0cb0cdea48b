/** @campaign hostile */
import { createHash } from 'node:crypto';
import { chmod, mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { deflateSync } from 'node:zlib';
import { ProjectStorage } from '../../../src/modules/storage/index.js';
import type { Person } from '../../support/factories.js';
import { type PushedProject, PushedProjects } from '../../support/pushed-projects.js';
import { Trellis } from '../../support/trellis.js';
import { git } from '../../unit/git/support/workshop.js';

jest.setTimeout(240_000);

const MIB = 1024 * 1024;
const PERSON = 'A <a@b.c> 1 +0000';
const ABSENT = '1'.repeat(40);

describe('Objects that pushes cannot create', () => {
  let trellis: Trellis;
  let owner: Person;
  let projects: PushedProjects;
  let made: PushedProject;
  let repository: string;

  beforeAll(async () => {
    // A busy machine would come to git's ordinary time limit.
    trellis = await Trellis.start({
      because: 'git limits',
      gitLimits: { requestTimeoutMs: 300_000 },
    });
    owner = await trellis.factories.user({ projectsLimit: 1000 });
    projects = new PushedProjects(trellis, owner);
  });
  afterAll(async () => {
    await projects.remove();
    await trellis.stop();
  });
  beforeEach(async () => {
    made = await projects.make();
    const [row] = await trellis.rows<{ id: number; storage: string }>(
      'SELECT id, storage FROM projects WHERE id = $1',
      [made.project.id],
    );
    repository = trellis.app.get(ProjectStorage).path(row!);
  });

  const fileOf = (oid: string): string =>
    path.join(repository, 'objects', oid.slice(0, 2), oid.slice(2));

  /** Stores an object as an older version, or a disk, may have left it. */
  async function store(type: string, content: Buffer | string): Promise<string> {
    const bytes = Buffer.from(content);
    const object = Buffer.concat([Buffer.from(`${type} ${String(bytes.length)}\0`), bytes]);
    const oid = createHash('sha1').update(object).digest('hex');
    await mkdir(path.dirname(fileOf(oid)), { recursive: true });
    await writeFile(fileOf(oid), deflateSync(object, { level: 1 }));
    return oid;
  }

  const entry = (mode: string, name: string, oid: string): Buffer =>
    Buffer.concat([Buffer.from(`${mode} ${name}\0`), Buffer.from(oid, 'hex')]);

  /** A commit on top of master, on a branch `odd`. */
  async function commit(tree: string, person = PERSON, more = ''): Promise<string> {
    const parents = `parent ${made.head}\n`;
    const text = `tree ${tree}\n${parents}author ${person}\ncommitter ${person}\n${more}\nOdd\n`;
    const oid = await store('commit', text);
    await mkdir(path.join(repository, 'refs', 'heads'), { recursive: true });
    await writeFile(path.join(repository, 'refs', 'heads', 'odd'), `${oid}\n`);
    return oid;
  }

  const treeOfMaster = () => git(['rev-parse', 'master^{tree}'], { cwd: repository });

  /** Reads the branch in all ways there are; answers how, by the beginning of each path. */
  async function read(oid: string): Promise<Record<string, number>> {
    const base = `/projects/${String(made.project.id)}/repository`;
    const ways = {
      commit: `commits/${oid}`,
      commits: 'commits?ref_name=odd',
      'commits of a path': 'commits?ref_name=odd&path=file.txt',
      diff: `commits/${oid}/diff`,
      comments: `commits/${oid}/comments`,
      statuses: `commits/${oid}/statuses`,
      branch: 'branches/odd',
      branches: 'branches',
      tree: 'tree?ref_name=odd',
      'whole tree': 'tree?ref_name=odd&recursive=true',
      file: 'files?file_path=file.txt&ref=odd',
      blob: 'blobs/odd?filepath=file.txt',
      compare: 'compare?from=master&to=odd',
      contributors: 'contributors',
      archive: 'archive.tar?sha=odd',
      zip: 'archive.zip?sha=odd',
    };
    const found: Record<string, number> = {};
    for (const [way, place] of Object.entries(ways)) {
      const answer = await fetch(`${trellis.url}/api/v3${base}/${place}`, {
        headers: { 'PRIVATE-TOKEN': owner.token },
      });
      const limit = way === 'archive' || way === 'zip' ? 200 * MIB : 2 * MIB;
      expect([
        way,
        (await answer.arrayBuffer().catch(() => ({ byteLength: 0 }))).byteLength < limit,
      ]).toEqual([way, true]);
      found[way] = answer.status;
    }
    return found;
  }

  /** Asks for a merge of the branch, and for its cherry-pick. */
  async function merge(oid: string): Promise<number[]> {
    const base = `/projects/${String(made.project.id)}`;
    const request = await trellis.as(owner).post(`${base}/merge_requests`, {
      source_branch: 'odd',
      target_branch: 'master',
      title: 'Odd',
    });
    const statuses = [request.status];
    if (request.status < 300) {
      const { id } = request.body as { id: number };
      const at = `${base}/merge_requests/${String(id)}`;
      statuses.push((await trellis.as(owner).get(`${at}/changes`)).status);
      statuses.push((await trellis.as(owner).get(`${at}/commits`)).status);
      statuses.push((await trellis.as(owner).put(`${at}/merge`, {})).status);
    }
    const pick = `${base}/repository/commits/${oid}/cherry_pick`;
    statuses.push((await trellis.as(owner).post(pick, { branch: 'master' })).status);
    return statuses;
  }

  const worst = (found: Record<string, number>): string[] =>
    Object.entries(found)
      .filter(([, status]) => status >= 500)
      .map(([way, status]) => `${way}: ${String(status)}`);

  it.each([
    ['an author of megabytes', () => commitBy('x'.repeat(5 * MIB))],
    ['an author of 900 KB', () => commitBy('x'.repeat(900_000))],
    ['a signature of megabytes', () => commitWith(`gpgsig ${'x'.repeat(5 * MIB)}`)],
    ['headers of megabytes', () => commitWith('x y\n'.repeat(200_000).trimEnd())],
    ['parents by the thousand', () => commitWith(`parent ${made.head}\n`.repeat(5_000).trimEnd())],
  ])('are read and merged: %s', async (_what, make) => {
    const oid = await make();
    const found = await read(oid);
    expect(worst(found)).toEqual([]);
    expect(found).toMatchObject({ commit: 200, commits: 200, diff: 200, tree: 200, file: 200 });
    expect(Math.max(...(await merge(oid)))).toBeLessThan(500);
  });

  const commitBy = async (name: string) => commit(await treeOfMaster(), `${name} <a@b.c> 1 +0000`);
  const commitWith = async (header: string) => commit(await treeOfMaster(), PERSON, `${header}\n`);

  it('are refused or truncated: a folder of 70 MB', async () => {
    const blob = await store('blob', 'x\n');
    const name = 'n'.repeat(240);
    const entries = Array.from({ length: 255_000 }, (_, at) =>
      entry('100644', name + String(at).padStart(6, '0'), blob),
    );
    const tree = await store('tree', Buffer.concat(entries));
    const oid = await commit(tree);
    const base = `/projects/${String(made.project.id)}/repository`;
    const status = async (place: string) =>
      (await trellis.as(owner).get(`${base}/${place}`)).status;
    expect(await status('tree?ref_name=odd')).toBe(413);
    expect(await status('files?file_path=file.txt&ref=odd')).toBe(413);
    expect(await status(`commits/${oid}`)).toBe(200);
    expect(await status(`commits/${oid}/diff`)).toBe(200);
    expect(await status('compare?from=master&to=odd')).toBe(200);
    // Merging is 503 where git needs more than its ten seconds.
    expect((await merge(oid)).filter((code) => code >= 500 && code !== 503)).toEqual([]);
  });

  it.each([
    ['a folder that is missing', () => commit(ABSENT)],
    ['a file that is missing', async () => commit(await treeWith(ABSENT))],
    ['a folder that is damaged', async () => commit(await damaged(await otherTree()))],
    [
      'a file that is damaged',
      async () =>
        commit(await treeWith(await damaged(await store('blob', 'Damaged\n'.repeat(99))))),
    ],
    ['a folder that is cut off', async () => commit(await store('tree', '100644 file.txt\0short'))],
    ['a folder that is a file', async () => commit(await store('blob', 'no folder'))],
    ['a commit without a folder', () => onBranch(store('commit', `author ${PERSON}\n\nOdd\n`))],
    [
      'a commit that is damaged',
      async () => {
        const oid = await commit(await treeOfMaster());
        return damaged(oid);
      },
    ],
  ])('cause no server error: %s', async (_what, make) => {
    const oid = await make();
    expect(worst(await read(oid))).toEqual([]);
    expect((await merge(oid)).filter((status) => status >= 500)).toEqual([]);
    const base = `/projects/${String(made.project.id)}/repository`;
    await trellis.as(owner).get(`${base}/commits/${made.head}`).expect(200);
  });

  const treeWith = (blob: string) => store('tree', entry('100644', 'file.txt', blob));
  const otherTree = async () => treeWith(await store('blob', 'Another\n'));
  async function damaged(oid: string): Promise<string> {
    await chmod(fileOf(oid), 0o644);
    await rm(fileOf(oid));
    await writeFile(fileOf(oid), 'no object');
    return oid;
  }
  async function onBranch(stored: Promise<string>): Promise<string> {
    const oid = await stored;
    await writeFile(path.join(repository, 'refs', 'heads', 'odd'), `${oid}\n`);
    return oid;
  }
});
