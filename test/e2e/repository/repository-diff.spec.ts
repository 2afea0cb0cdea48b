import type { Person } from '../../support/factories.js';
import { PushedProjects } from '../../support/pushed-projects.js';
import { Trellis } from '../../support/trellis.js';
import { makeVaried, ODD, SUBMODULE } from '../../support/varied-project.js';

describe('GET repository/commits/:sha/diff', () => {
  let trellis: Trellis;
  let owner: Person;
  let projects: PushedProjects;
  let base: string;
  let head: string;
  let first: string;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    owner = await trellis.factories.user();
    projects = new PushedProjects(trellis, owner);
    const varied = await makeVaried(projects);
    ({ base, head } = varied);
    first = await varied.work.git('rev-parse', 'HEAD~2');
  });
  afterAll(() => projects.remove());

  const names = ['HEAD', 'feature%2Fslash'];
  const modified = { new_file: false, renamed_file: false, deleted_file: false };

  it.each(names)('shows every kind of change (%s)', async (name) => {
    const sha = name === 'HEAD' ? head : name;
    const answer = await trellis.as(owner).get(`${base}/commits/${sha}/diff`).expect(200);
    expect(answer.headers).toMatchObject({ 'x-total': '9' });
    expect(answer.body).toEqual([
      {
        diff: '--- a/file.txt\n+++ b/file.txt\n@@ -1 +1 @@\n-Before 2\n+After 3\n',
        old_path: 'file.txt',
        new_path: 'file.txt',
        a_mode: '100644',
        b_mode: '100644',
        ...modified,
      },
      {
        diff: '--- a/gone.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-gone\n',
        old_path: 'gone.txt',
        new_path: 'gone.txt',
        a_mode: '100644',
        b_mode: '0',
        ...modified,
        deleted_file: true,
      },
      {
        diff: 'Binary files /dev/null and b/image.bin differ\n',
        old_path: 'image.bin',
        new_path: 'image.bin',
        a_mode: '0',
        b_mode: '100644',
        ...modified,
        new_file: true,
      },
      {
        diff: '--- /dev/null\n+++ b/latin1.txt\n@@ -0,0 +1 @@\n+caf\ufffd\n',
        old_path: 'latin1.txt',
        new_path: 'latin1.txt',
        a_mode: '0',
        b_mode: '100644',
        ...modified,
        new_file: true,
      },
      {
        diff: '--- /dev/null\n+++ b/link\n@@ -0,0 +1 @@\n+run.sh\n\\ No newline at end of file\n',
        old_path: 'link',
        new_path: 'link',
        a_mode: '0',
        b_mode: '120000',
        ...modified,
        new_file: true,
      },
      {
        diff: `--- /dev/null\n+++ b/module\n@@ -0,0 +1 @@\n+Subproject commit ${SUBMODULE}\n`,
        old_path: 'module',
        new_path: 'module',
        a_mode: '0',
        b_mode: '160000',
        ...modified,
        new_file: true,
      },
      {
        diff: '--- /dev/null\n+++ "b/odd \\"name\\"\\n-\\303\\274n\\303\\274"\t\n@@ -0,0 +1 @@\n+odd\n',
        old_path: ODD,
        new_path: ODD,
        a_mode: '0',
        b_mode: '100644',
        ...modified,
        new_file: true,
      },
      {
        diff: '',
        old_path: 'run.sh',
        new_path: 'run.sh',
        a_mode: '100644',
        b_mode: '100755',
        ...modified,
      },
      {
        diff: '',
        old_path: 'docs/moved.txt',
        new_path: 'zz.txt',
        a_mode: '100644',
        b_mode: '100644',
        ...modified,
        renamed_file: true,
      },
    ]);
  });

  it('compares a root commit with the empty tree, and is split into pages', async () => {
    const asOwner = trellis.as(owner);
    const root = await asOwner.get(`${base}/commits/${first}/diff`).expect(200);
    expect(root.body).toMatchObject([{ new_path: 'file.txt', new_file: true, a_mode: '0' }]);
    const page = await asOwner.get(`${base}/commits/${head}/diff?per_page=2&page=2`).expect(200);
    expect((page.body as { new_path: string }[]).map((entry) => entry.new_path)).toEqual([
      'image.bin',
      'latin1.txt',
    ]);
    expect(page.headers).toMatchObject({ 'x-total': '9', 'x-next-page': '3' });
  });

  it('starts no process once warm, and loads the project once', async () => {
    const get = () => trellis.as(owner).get(`${base}/commits/${head}/diff`).expect(200);
    await get();
    const spawned = trellis.git.spawnCount;
    const statements = await trellis.statements.during(get);
    expect(statements.length).toBeLessThanOrEqual(3);
    expect(trellis.git.spawnCount).toBe(spawned);
  });
});
