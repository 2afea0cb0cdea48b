import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { ProjectStorage } from '../../../src/modules/storage/index.js';
import { remoteOf } from '../../support/checkout.js';
import type { Person } from '../../support/factories.js';
import { Imports } from '../../support/imports.js';
import { type PushedProject, PushedProjects } from '../../support/pushed-projects.js';
import { Trellis } from '../../support/trellis.js';
import { git } from '../../unit/git/support/workshop.js';

jest.setTimeout(120_000);

const MIB = 1024 * 1024;

describe('The limits of an import', () => {
  let elsewhere: Trellis;
  let sources: PushedProjects;
  let trellis: Trellis;
  let owner: Person;
  let imports: Imports;

  beforeAll(async () => {
    elsewhere = await Trellis.shared();
    sources = new PushedProjects(
      elsewhere,
      await elsewhere.factories.user({ projectsLimit: 1000 }),
    );
    trellis = await Trellis.shared({
      runsJobs: true,
      settings: {
        FILE_MAX_BYTES: String(2 * MIB),
        PUSH_MAX_UNPACKED_BYTES: String(10 * MIB),
      },
    });
    owner = await trellis.factories.user({ projectsLimit: 1000 });
    imports = new Imports(trellis, owner);
  });
  afterAll(async () => {
    await sources.remove();
    await trellis.restore();
  });

  const source = () => sources.make({ visibilityLevel: 20 });

  async function pushFiles({ work }: PushedProject, files: Record<string, Buffer>): Promise<void> {
    for (const [name, content] of Object.entries(files)) {
      await writeFile(path.join(work.folder, name), content);
    }
    await work.commit('Files');
    expect((await work.push('HEAD:master')).code).toBe(0);
  }

  /** Imports a project, which has to fail and leave nothing. */
  async function refused({ project }: PushedProject, reason: RegExp): Promise<void> {
    const { id } = await imports.run(remoteOf(elsewhere, project, null));
    const { body } = await trellis
      .as(owner)
      .get(`/projects/${String(id)}/import`)
      .expect(200);
    expect(body).toEqual({
      id,
      import_status: 'failed',
      import_error: expect.stringMatching(reason) as string,
    });
    expect(await git(['count-objects'], { cwd: imports.folderOf({ id }) })).toMatch(/^0 objects/);
    expect(await imports.aside(id)).toEqual([]);
    const branches = `/projects/${String(id)}/repository/branches`;
    expect((await trellis.as(owner).get(branches).expect(200)).body).toEqual([]);
  }

  it('leave the status readable for masters only', async () => {
    const { project } = await source();
    const { id } = await imports.run(remoteOf(elsewhere, project, null));
    const path = `/projects/${String(id)}/import`;
    await trellis.anonymous.get(path).expect(401);
    const person = await trellis.factories.user();
    await trellis.as(person).get(path).expect(404);
    await trellis.as(owner).get('/projects/nowhere%2Fx/import').expect(404);
    await trellis.factories.addToProject({ id }, person, 30);
    await trellis.as(person).get(path).expect(403);
    expect((await trellis.as(owner).get(path).expect(200)).body).toEqual({
      id,
      import_status: 'finished',
      import_error: null,
    });
    const empty = await trellis.factories.project(owner);
    const answer = await trellis
      .as(owner)
      .get(`/projects/${String(empty.id)}/import`)
      .expect(200);
    expect(answer.body).toEqual({ id: empty.id, import_status: 'none', import_error: null });
  });

  it('include the size of a file', async () => {
    const made = await source();
    await pushFiles(made, { large: Buffer.alloc(2 * MIB + 1) });
    await refused(made, /^The blob [0-9a-f]{40} is too large: it has 2,097,153 bytes/);
  });

  it('include the total size', async () => {
    const made = await source();
    const parts = Array.from({ length: 6 }, (_, at) => [
      `part-${String(at)}`,
      Buffer.alloc(2 * MIB, at + 1),
    ]);
    await pushFiles(made, Object.fromEntries(parts) as Record<string, Buffer>);
    await refused(made, /^The import is too large: unpacked, it may have at most 10,485,760 bytes/);
  });

  it('include 1 MiB for a commit', async () => {
    const made = await source();
    const [row] = await elsewhere.rows<{ id: number; storage: string }>(
      'SELECT id, storage FROM projects WHERE id = $1',
      [made.project.id],
    );
    const folder = elsewhere.app.get(ProjectStorage).path(row!);
    const file = path.join(folder, 'object.tmp');
    const tree = await made.work.git('rev-parse', 'HEAD^{tree}');
    const person = 'A <a@b.c> 1 +0000';
    // As an older version took it from a push.
    await writeFile(
      file,
      `tree ${tree}\nauthor ${person}\ncommitter ${person}\n\n${'x'.repeat(2 * MIB)}`,
    );
    const oid = await git(['hash-object', '-t', 'commit', '-w', file], { cwd: folder });
    await rm(file);
    await git(['update-ref', 'refs/heads/large', oid], { cwd: folder });
    await refused(made, new RegExp(`^The commit ${oid} is too large`));
  });
});
