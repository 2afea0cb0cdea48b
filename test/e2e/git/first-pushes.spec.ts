import type { MadeProject, Person } from '../../support/factories.js';
import { PushedProjects } from '../../support/pushed-projects.js';
import { memberOf, PushedRefs } from '../../support/pushed-refs.js';
import { Trellis } from '../../support/trellis.js';

const NOT_ALLOWED = 'You are not allowed to push code to this project.';
const PROTECTED = 'You are not allowed to push code to protected branches on this project.';
const TAGS = 'You are not allowed to change existing tags on this project.';

describe('pushes and the branches and tags they create', () => {
  let trellis: Trellis;
  let owner: Person;
  let administrator: Person;
  let projects: PushedProjects;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    owner = await trellis.factories.user({ projectsLimit: 1000 });
    administrator = await trellis.factories.admin();
    projects = new PushedProjects(trellis, owner);
  });
  afterAll(async () => {
    await projects.remove();
  });

  /** A project without a commit, a developer of it and their working copy with one commit. */
  async function makeEmpty() {
    const project = await trellis.factories.project(owner);
    const developer = await memberOf(trellis, project, 30);
    const theirs = await projects.checkoutWithCommit(project, developer);
    const masters = await projects.checkoutWithCommit(project, owner);
    const head = await theirs.readHead();
    const refs = new PushedRefs(trellis, project);
    return { project, developer, theirs, masters, head, refs };
  }

  const shown = async ({ id }: MadeProject) =>
    (
      await trellis
        .as(owner)
        .get(`/projects/${String(id)}`)
        .expect(200)
    ).body as { default_branch: string | null; last_activity_at: string };

  const rules = ({ id }: MadeProject) =>
    trellis.rows(
      `SELECT name, developers_can_push AS push, developers_can_merge AS merge
         FROM protected_branches WHERE project_id = $1`,
      [id],
    );

  const protect = (value: number) =>
    trellis
      .as(administrator)
      .put('/application/settings', { default_branch_protection: value })
      .expect(200);

  describe('of several branches at once', () => {
    it.each([
      ['the one that was wished for', 'trunk', ['alpha', 'master', 'trunk'], 'trunk'],
      ['else master', 'absent', ['alpha', 'master', 'trunk'], 'master'],
      ['else the first by name', 'absent', ['trunk', 'beta', 'alpha/x'], 'alpha/x'],
    ])('make %s the default branch', async (_which, wished, branches, expected) => {
      const { project, masters, refs } = await makeEmpty();
      await trellis
        .as(owner)
        .put(`/projects/${String(project.id)}`, { default_branch: wished })
        .expect(200);
      const specs = branches.map((name) => `HEAD:refs/heads/${name}`);
      expect((await masters.push(...specs, 'HEAD:refs/tags/v1')).code).toBe(0);
      expect(await shown(project)).toMatchObject({ default_branch: expected });
      expect(await refs.git('symbolic-ref', 'HEAD')).toBe(`refs/heads/${expected}`);
      expect(await rules(project)).toEqual([{ name: expected, push: false, merge: false }]);
      expect((await masters.push('HEAD:refs/heads/aaa')).code).toBe(0);
      expect(await shown(project)).toMatchObject({ default_branch: expected });
    });
  });

  it('of tags alone set no default branch', async () => {
    const { project, masters } = await makeEmpty();
    expect((await masters.push('HEAD:refs/tags/v1')).code).toBe(0);
    expect(await shown(project)).toMatchObject({ default_branch: null });
    expect((await masters.push('HEAD:refs/heads/late')).code).toBe(0);
    expect(await shown(project)).toMatchObject({ default_branch: 'late' });
  });

  describe('under the default protection', () => {
    afterAll(() => protect(2));

    it('0 are unrestricted, and create no protection', async () => {
      await protect(0);
      const { project, theirs } = await makeEmpty();
      expect((await theirs.push('HEAD:refs/heads/master')).code).toBe(0);
      expect(await rules(project)).toEqual([]);
      await theirs.git('commit', '--quiet', '--amend', '--message', 'Rewritten');
      expect((await theirs.push('--force', 'HEAD:refs/heads/master')).code).toBe(0);
    });

    it('1 are accepted from developers, and protect the branch from forced pushes', async () => {
      await protect(1);
      const { project, theirs } = await makeEmpty();
      expect((await theirs.push('HEAD:refs/heads/master', 'HEAD:refs/heads/other')).code).toBe(0);
      expect(await rules(project)).toEqual([{ name: 'master', push: true, merge: false }]);
      await theirs.commit('Second');
      expect((await theirs.push('HEAD:refs/heads/master')).code).toBe(0);
      await theirs.git('commit', '--quiet', '--amend', '--message', 'Rewritten');
      const forced = await theirs.push('--force', 'HEAD:refs/heads/master');
      expect(forced.stderr).toContain('You are not allowed to force push code to a protected');
    });

    it('2 require a master on any branch, and create a protection for masters', async () => {
      await protect(2);
      const { project, theirs, masters, refs } = await makeEmpty();
      for (const ref of ['refs/heads/master', 'refs/heads/topic', 'refs/tags/v1']) {
        const told = await theirs.push(`HEAD:${ref}`);
        expect([ref, told.code]).toEqual([ref, 1]);
        expect(told.stderr).toContain(NOT_ALLOWED);
      }
      expect(await refs.all()).toEqual([]);
      expect((await masters.push('HEAD:refs/heads/master')).code).toBe(0);
      expect(await rules(project)).toEqual([{ name: 'master', push: false, merge: false }]);
      await theirs.commit('Second');
      expect((await theirs.push('HEAD:refs/heads/master')).stderr).toContain(PROTECTED);
      expect((await theirs.push('HEAD:refs/heads/topic', 'HEAD:refs/tags/v1')).code).toBe(0);
    });

    it('keep an existing protection', async () => {
      const { project, masters } = await makeEmpty();
      await trellis.rows(
        `INSERT INTO protected_branches (project_id, name, developers_can_push, developers_can_merge)
          VALUES ($1, 'master', true, true)`,
        [project.id],
      );
      expect((await masters.push('HEAD:refs/heads/master')).code).toBe(0);
      expect(await rules(project)).toEqual([{ name: 'master', push: true, merge: true }]);
    });
  });

  it('create tags as developers; moving and deleting tags requires a master', async () => {
    const { theirs, masters, refs, head } = await makeEmpty();
    expect((await masters.push('HEAD:refs/heads/master')).code).toBe(0);
    expect((await theirs.push('HEAD:refs/tags/v1')).code).toBe(0);
    await theirs.commit('Second');
    for (const spec of ['+HEAD:refs/tags/v1', ':refs/tags/v1']) {
      const told = await theirs.push(spec, 'HEAD:refs/heads/along');
      expect([spec, told.code]).toEqual([spec, 1]);
      expect(told.stderr).toContain(TAGS);
    }
    expect(await refs.all()).toEqual(['refs/heads/master', 'refs/tags/v1']);
    expect(await refs.target('refs/tags/v1')).toBe(head);
    await masters.commit('Third');
    expect((await masters.push('+HEAD:refs/tags/v1')).code).toBe(0);
    expect((await masters.push(':refs/tags/v1')).code).toBe(0);
    const told = (await refs.events()).filter(({ ref }) => ref === 'refs/tags/v1');
    expect(told.map(({ action }) => action)).toEqual(['pushed new', 'pushed to', 'deleted']);
  });

  it('update the last activity of the project, unless refused', async () => {
    const { project, masters, theirs } = await makeEmpty();
    const rewind = () =>
      trellis.rows(`UPDATE projects SET last_activity_at = '2020-01-01' WHERE id = $1`, [
        project.id,
      ]);
    const moved = async () =>
      new Date((await shown(project)).last_activity_at).getFullYear() > 2020;
    for (const spec of ['HEAD:refs/heads/master', 'HEAD:refs/heads/x', 'HEAD:refs/tags/t']) {
      await rewind();
      expect((await masters.push(spec)).code).toBe(0);
      expect([spec, await moved()]).toEqual([spec, true]);
    }
    await rewind();
    await theirs.commit('Refused');
    expect((await theirs.push('HEAD:refs/heads/master')).code).toBe(1);
    expect((await masters.push('HEAD:refs/heads/master')).stderr).toContain('up-to-date');
    expect(await moved()).toBe(false);
    expect((await masters.push(':refs/heads/x', ':refs/tags/t')).code).toBe(0);
    expect(await moved()).toBe(true);
  });
});
