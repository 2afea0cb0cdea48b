import { readdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { PushedProject } from '../../support/pushed-projects.js';
import type { Person } from '../../support/factories.js';
import { PushedProjects } from '../../support/pushed-projects.js';
import { Trellis } from '../../support/trellis.js';
import { git } from '../../unit/git/support/workshop.js';
import { ProjectStorage } from '../../../src/modules/storage/index.js';

const EMPTY_TREE = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';
const PERSON = 'A <a@b.c> 1 +0000';
const LARGE = 5 * 1024 * 1024;

describe('Lists with objects that cannot be read', () => {
  let trellis: Trellis;
  let owner: Person;
  let projects: PushedProjects;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    owner = await trellis.factories.user({ projectsLimit: 1000 });
    projects = new PushedProjects(trellis, owner);
  });
  afterAll(() => projects.remove());

  async function pathOf({ project }: PushedProject): Promise<string> {
    const [row] = await trellis.rows<{ id: number; storage: string }>(
      'SELECT id, storage FROM projects WHERE id = $1',
      [project.id],
    );
    return trellis.app.get(ProjectStorage).path(row!);
  }

  /** Stores an object as an older version took it from a push. */
  async function store(repository: string, type: string, content: string): Promise<string> {
    const file = path.join(repository, 'object.tmp');
    await writeFile(file, content);
    const oid = await git(['--git-dir', repository, 'hash-object', '-t', type, '-w', file]);
    await rm(file);
    return oid;
  }

  it('treat a revision as unknown that leads through too many megabytes', async () => {
    const made = await projects.make();
    const repository = await pathOf(made);
    let commit = made.head;
    for (let count = 0; count < 20; count += 1) {
      const head = `tree ${EMPTY_TREE}\nparent ${commit}\nauthor ${PERSON}\ncommitter ${PERSON}\n\n`;
      commit = await store(repository, 'commit', `${head}${'x'.repeat(LARGE)}`);
    }
    const url = `/projects/${String(made.project.id)}/repository/commits/${commit}`;
    await trellis.as(owner).get(`${url}~19`).expect(404, { message: '404 Commit Not Found' });
    const { body } = await trellis.as(owner).get(`${url}~1`).expect(200);
    expect(body).toMatchObject({ author_name: 'A' });
  });

  it('show a commit of megabytes with the beginning of its message', async () => {
    const made = await projects.make();
    const repository = await pathOf(made);
    const head = `tree ${EMPTY_TREE}\nparent ${made.head}\nauthor ${PERSON}\ncommitter ${PERSON}\n\n`;
    const commit = await store(repository, 'commit', `${head}Begins${'x'.repeat(LARGE)}`);
    await git(['--git-dir', repository, 'update-ref', 'refs/heads/large', commit]);
    const tag = await store(
      repository,
      'tag',
      `object ${commit}\ntype commit\ntag v1\ntagger ${PERSON}\n\nTagged${'x'.repeat(LARGE)}`,
    );
    await git(['--git-dir', repository, 'update-ref', 'refs/tags/v1', tag]);
    const base = `/projects/${String(made.project.id)}/repository`;
    const branches = await trellis.as(owner).get(`${base}/branches`).expect(200);
    expect(branches.body).toMatchObject([
      { name: 'large', commit: { id: commit, author_name: 'A', parent_ids: [made.head] } },
      { name: 'master', commit: { id: made.head } },
    ]);
    const tags = await trellis.as(owner).get(`${base}/tags`).expect(200);
    expect(tags.body).toMatchObject([{ name: 'v1', commit: { id: commit } }]);
    expect((tags.body as { message: string }[])[0]?.message).toMatch(/^Taggedx+…$/);
    const commits = await trellis.as(owner).get(`${base}/commits?ref_name=large`).expect(200);
    expect(commits.body).toMatchObject([{ id: commit, author_name: 'A' }, { id: made.head }]);
    expect((commits.body as { message: string }[])[0]?.message).toMatch(/^Beginsx+…$/);
    expect(commits.text.length).toBeLessThan(200_000);
    await trellis.as(owner).get(`${base}/commits/${commit}`).expect(200);
  });

  it('show a branch whose commit is missing with a blank commit', async () => {
    const made = await projects.make();
    const repository = await pathOf(made);
    const gone = '1'.repeat(40);
    await writeFile(path.join(repository, 'refs', 'heads', 'damaged'), `${gone}\n`);
    const base = `/projects/${String(made.project.id)}/repository`;
    const branches = await trellis.as(owner).get(`${base}/branches`).expect(200);
    expect(branches.body).toMatchObject([
      {
        name: 'damaged',
        merged: false,
        commit: {
          id: gone,
          message: '',
          author_name: '',
          committed_date: '1970-01-01T00:00:00.000+00:00',
        },
      },
      { name: 'master', commit: { id: made.head } },
    ]);
    await trellis.as(owner).get(`${base}/branches/damaged`).expect(200);
  });

  it('show a branch whose commit is damaged, and the other branches', async () => {
    const made = await projects.make();
    const repository = await pathOf(made);
    const head = `tree ${EMPTY_TREE}\nauthor ${PERSON}\ncommitter ${PERSON}\n\nDamaged`;
    const oid = await store(repository, 'commit', head);
    await git(['--git-dir', repository, 'update-ref', 'refs/heads/damaged', oid]);
    const folder = path.join(repository, 'objects', oid.slice(0, 2));
    expect(await readdir(folder)).toContain(oid.slice(2));
    await rm(path.join(folder, oid.slice(2)));
    await writeFile(path.join(folder, oid.slice(2)), 'no object');
    const base = `/projects/${String(made.project.id)}/repository`;
    const branches = await trellis.as(owner).get(`${base}/branches`).expect(200);
    expect(branches.body).toMatchObject([
      { name: 'damaged', commit: { id: oid, message: '' } },
      { name: 'master', commit: { id: made.head, message: 'First commit\n' } },
    ]);
  });
});
