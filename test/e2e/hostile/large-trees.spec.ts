/** @campaign hostile */
import { createHash } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { deflateSync } from 'node:zlib';
import request from 'supertest';
import { ProjectStorage } from '../../../src/modules/storage/index.js';
import type { Checkout } from '../../support/checkout.js';
import type { Person } from '../../support/factories.js';
import type { PushedProject } from '../../support/pushed-projects.js';
import { PushedProjects } from '../../support/pushed-projects.js';
import { Trellis } from '../../support/trellis.js';

jest.setTimeout(180_000);

const LEVELS = 5_000;
const PERSON = 'A <a@b.c> 1 +0000';

describe('Trees that are larger than their objects', () => {
  let trellis: Trellis;
  let owner: Person;
  let projects: PushedProjects;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    owner = await trellis.factories.user({ projectsLimit: 1000 });
    projects = new PushedProjects(trellis, owner);
  });
  afterAll(() => projects.remove());

  async function write(work: Checkout, type: string, content: Buffer): Promise<string> {
    const object = Buffer.concat([Buffer.from(`${type} ${String(content.length)}\0`), content]);
    const oid = createHash('sha1').update(object).digest('hex');
    const folder = path.join(work.folder, '.git', 'objects', oid.slice(0, 2));
    await mkdir(folder, { recursive: true });
    await writeFile(path.join(folder, oid.slice(2)), deflateSync(object));
    return oid;
  }

  /** A tree that names another one so many times. */
  function holder(work: Checkout, tree: string, times: number): Promise<string> {
    const entries = Array.from({ length: times }, (_, at) => [
      Buffer.from(`40000 ${String.fromCharCode(65 + at)}\0`),
      Buffer.from(tree, 'hex'),
    ]);
    return write(work, 'tree', Buffer.concat(entries.flat()));
  }

  /** A tree of trees with a file at its ends. */
  async function treeOfTrees(work: Checkout, levels: number, times: number): Promise<string> {
    let tree = await fileNamed(work, 'file');
    for (let level = 0; level < levels; level += 1) tree = await holder(work, tree, times);
    return tree;
  }

  async function fileNamed(work: Checkout, name: string): Promise<string> {
    const blob = await write(work, 'blob', Buffer.from('x\n'));
    const entry = [Buffer.from(`100644 ${name}\0`), Buffer.from(blob, 'hex')];
    return write(work, 'tree', Buffer.concat(entry));
  }

  /** Commits a tree onto a branch of its own, as a push would leave it. */
  async function store({ work, head }: PushedProject, tree: string): Promise<string> {
    const text = `tree ${tree}\nparent ${head}\nauthor ${PERSON}\ncommitter ${PERSON}\n\nTrees`;
    const commit = await write(work, 'commit', Buffer.from(text));
    expect((await work.push(`${commit}:refs/heads/trees`)).code).toBe(0);
    return commit;
  }

  /** The pushed trees that several tests read, by what they are. */
  const pushed = new Map<string, Promise<{ made: PushedProject; commit: string }>>();

  /** Pushes a tree to a project of its own, where no test has done so yet. */
  function pushTree(what: string, make: (work: Checkout) => Promise<string>) {
    const push = async () => {
      const made = await projects.make();
      return { made, commit: await store(made, await make(made.work)) };
    };
    const known = pushed.get(what) ?? push();
    pushed.set(what, known);
    return known;
  }

  const DEEP = ['of 5,000 levels', (work: Checkout) => treeOfTrees(work, LEVELS, 1)] as const;
  const WIDE = ['of millions of files', (work: Checkout) => treeOfTrees(work, 6, 12)] as const;

  const pathOf = ({ project }: PushedProject): string =>
    `/projects/${String(project.id)}/repository`;

  it('are refused as archives when they are deeper than file systems allow', async () => {
    const { made } = await pushTree(...DEEP);
    for (const format of ['tar.gz', 'zip', 'tar']) {
      await trellis
        .as(owner)
        .get(`${pathOf(made)}/archive.${format}?sha=trees`)
        .expect(413);
    }
    await request(trellis.url)
      .get(`/api/v3${pathOf(made)}/archive.tar.gz?sha=master`)
      .set('PRIVATE-TOKEN', owner.token)
      .expect(200);
  });

  it('are refused as archives, and shown as truncated, when they describe a million files', async () => {
    const { made, commit } = await pushTree(...WIDE);
    await trellis
      .as(owner)
      .get(`${pathOf(made)}/archive.zip?sha=trees`)
      .expect(413);
    const diff = await trellis.as(owner).get(`${pathOf(made)}/commits/${commit}/diff`);
    // Under load git is stopped by the clock before it is by its memory.
    expect([200, 503]).toContain(diff.status);
    expect(diff.headers['x-total']).toBeUndefined();
    await trellis
      .as(owner)
      .get(`${pathOf(made)}/branches`)
      .expect(200);
  });

  const MB = 1_000_000;

  it.each<readonly [what: string, make: (work: Checkout) => Promise<string>]>([
    DEEP,
    ['of 250,000 files, which share their folders', (work: Checkout) => treeOfTrees(work, 3, 63)],
    WIDE,
    ['with a name of 600 KB', (work: Checkout) => fileNamed(work, 'n'.repeat(0.6 * MB))],
    ['with a name of 2 MB', (work: Checkout) => fileNamed(work, 'n'.repeat(2 * MB))],
  ])('cause no server error under concurrency: %s', async (what, make) => {
    const { made, commit } = await pushTree(what, make);
    const at = `/projects/${String(made.project.id)}`;
    const found: [string, number][] = [];
    const read = async (way: string): Promise<void> => {
      const isPage = way.startsWith('/commit/');
      const url = `${trellis.url}${isPage ? `/${made.project.fullPath}` : `/api/v3${at}`}${way}`;
      const answer = await fetch(url, { headers: { 'PRIVATE-TOKEN': owner.token } });
      await answer.arrayBuffer();
      found.push([way, answer.status]);
    };
    const ways = [
      ...[`/repository/commits/${commit}/diff`, '/repository/compare?from=master&to=trees'],
      ...[`/repository/commits/${commit}`, '/repository/tree?ref_name=trees&recursive=true'],
      ...[`/commit/${commit}.diff`, `/commit/${commit}.patch`],
    ];
    // The same process of git answers all three.
    for (const way of ways) await Promise.all([way, way, way].map(read));
    const fields = { source_branch: 'trees', target_branch: 'master', title: 'Trees' };
    const request = await trellis.as(owner).post(`${at}/merge_requests`, fields);
    found.push(['request', request.status]);
    const { id } = request.body as { id: number };
    await read(`/merge_requests/${String(id)}/changes`);
    const merge = await trellis.as(owner).put(`${at}/merge_requests/${String(id)}/merge`, {});
    found.push(['merge', merge.status]);
    const pick = `${at}/repository/commits/${commit}/cherry_pick`;
    found.push(['pick', (await trellis.as(owner).post(pick, { branch: 'master' })).status]);
    // Under load git is stopped by the clock, which is a 503, or for the memory that all reads of an address share.
    const clear = [200, 400, 405, 413, 429, 503];
    expect(found.filter(([, status]) => !clear.includes(status))).toEqual([]);
  });

  it('do not expand placeholders in archives, also in repositories of older versions', async () => {
    const made = await projects.make();
    const { work } = made;
    await writeFile(path.join(work.folder, '.gitattributes'), '* export-subst\n');
    await writeFile(path.join(work.folder, 'notes'), '$Format:%H$\n');
    await work.commit('Placeholders');
    expect((await work.push('HEAD:refs/heads/topic')).code).toBe(0);
    const [row] = await trellis.rows<{ id: number; storage: string }>(
      'SELECT id, storage FROM projects WHERE id = $1',
      [made.project.id],
    );
    const info = path.join(trellis.app.get(ProjectStorage).path(row!), 'info');
    for (const isOlder of [false, true]) {
      if (isOlder) await rm(info, { recursive: true });
      const { body } = await request(trellis.url)
        .get(`/api/v3${pathOf(made)}/archive.tar?sha=topic`)
        .set('PRIVATE-TOKEN', owner.token)
        .buffer(true)
        .parse((response, done) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('end', () => done(null, Buffer.concat(chunks)));
        })
        .expect(200);
      expect((body as Buffer).toString('latin1')).toContain('$Format:%H$');
    }
  });
});
