import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Repository } from '../../../src/git/index.js';
import { ProjectStorage } from '../../../src/modules/storage/index.js';
import type { Checkout } from '../../support/checkout.js';
import { runCommand } from '../../support/commands.js';
import type { MadeProject, Person } from '../../support/factories.js';
import { PushedProjects } from '../../support/pushed-projects.js';
import { SshPerson } from '../../support/ssh-person.js';
import { Trellis } from '../../support/trellis.js';
import { type CommandResult, git } from '../../unit/git/support/workshop.js';

jest.setTimeout(120_000);

const RESERVED = 'This ref is reserved.';
const NO_RIGHT = 'You are not allowed to push code to this project.';
const NOTES = 'refs/notes/commits';
/** Names that release tools, review tools and people use. */
const OTHERS = [
  NOTES,
  'refs/notes/releases/v1',
  'refs/changes/01/1/1',
  'refs/bisect/bad',
  'refs/x/y',
];
const RESERVED_REFS = [
  'refs/merge-requests/7/head',
  `refs/keep-around/${'a'.repeat(40)}`,
  'refs/pull/1/head',
  'refs/remotes/origin/master',
  `refs/replace/${'a'.repeat(40)}`,
];

describe('refs that are neither branches nor tags', () => {
  let trellis: Trellis;
  let owner: Person;
  let projects: PushedProjects;
  let keys: SshPerson;

  beforeAll(async () => {
    trellis = await Trellis.shared({ servesSsh: true });
    owner = await trellis.factories.user({ projectsLimit: 1000 });
    projects = new PushedProjects(trellis, owner);
    keys = await SshPerson.create(trellis, owner);
  });
  afterAll(async () => {
    await projects.remove();
    await keys.remove();
    await trellis.restore();
  });

  const repositoryOf = ({ id }: Pick<MadeProject, 'id'>): Repository =>
    trellis.app.get(ProjectStorage).repository({ id, storage: 'default' });

  async function refsOf(project: Pick<MadeProject, 'id'>): Promise<string[]> {
    return (await repositoryOf(project).refs.list('refs/')).map(({ name }) => name);
  }

  const eventsOf = ({ id }: MadeProject) =>
    trellis.rows('SELECT id FROM events WHERE project_id = $1', [id]);

  /** A project without a push, and a clone as `git clone --mirror` of another server leaves it. */
  async function mirrored(): Promise<{ project: MadeProject; work: Checkout }> {
    const project = await trellis.factories.project(owner);
    const work = await projects.checkout(project, owner);
    await work.commit('First commit');
    await work.git('tag', 'v1');
    for (const ref of [...OTHERS, ...RESERVED_REFS]) await work.git('update-ref', ref, 'HEAD');
    return { project, work };
  }

  async function developerOf({ id }: MadeProject, level: number): Promise<Person> {
    const person = await trellis.factories.user();
    await trellis
      .as(owner)
      .post(`/projects/${String(id)}/members`, { user_id: person.user.id, access_level: level })
      .expect(200);
    return person;
  }

  it.each(['HTTP', 'SSH'])(
    'are refused one by one in a mirror push over %s if reserved',
    async (by) => {
      const { project, work } = await mirrored();
      const push = (): Promise<CommandResult> =>
        by === 'HTTP'
          ? work.try('push', '--mirror', work.remote)
          : keys.git(['push', '--mirror', keys.url(project)], work.folder);
      const expected = ['refs/heads/master', 'refs/tags/v1', ...OTHERS].sort();
      for (let time = 0; time < 2; time += 1) {
        const { code, stderr } = await push();
        expect(code).toBe(1);
        expect(stderr.split(`(${RESERVED})`)).toHaveLength(RESERVED_REFS.length + 1);
        expect(stderr.split('rejected]')).toHaveLength(RESERVED_REFS.length + 1);
        expect(await refsOf(project)).toEqual(expected);
      }
      const { body } = await trellis
        .as(owner)
        .get(`/projects/${String(project.id)}`)
        .expect(200);
      expect(body).toMatchObject({ default_branch: 'master' });
    },
  );

  it('fail an atomic push if one is reserved', async () => {
    const { project, work } = await mirrored();
    const { code, stderr } = await work.try('push', '--mirror', '--atomic', work.remote);
    expect(code).toBe(1);
    expect(stderr).toContain(`refs/pull/1/head -> refs/pull/1/head (${RESERVED})`);
    expect(await refsOf(project)).toEqual([]);
    const allowed = OTHERS.map((ref) => `${ref}:${ref}`);
    expect((await work.try('push', '--atomic', work.remote, 'v1', ...allowed)).code).toBe(0);
    expect(await refsOf(project)).toEqual([...OTHERS, 'refs/tags/v1'].sort());
  });

  it('do not move when another branch of the push is refused', async () => {
    const { project, work } = await projects.make();
    await work.git('commit', '--quiet', '--amend', '--message', 'Rewritten');
    const refs = ['HEAD:refs/heads/master', 'HEAD:refs/pull/1/head', `HEAD:${NOTES}`];
    const { code, stderr } = await work.push('--force', ...refs);
    expect(code).toBe(1);
    expect(stderr).toContain(`refs/pull/1/head (${RESERVED})`);
    expect(stderr).toContain('You are not allowed to force push code to a protected branch');
    expect(await refsOf(project)).toEqual(['refs/heads/master']);
  });

  it('fail the push if all are reserved', async () => {
    const { project, work } = await projects.make();
    for (const refs of [
      RESERVED_REFS.map((ref) => `HEAD:${ref}`),
      RESERVED_REFS.map((ref) => `:${ref}`),
    ]) {
      const { code, stderr } = await work.push('--force', ...refs);
      expect(code).toBe(1);
      expect(stderr.split(`(${RESERVED})`)).toHaveLength(RESERVED_REFS.length + 1);
    }
    expect(await refsOf(project)).toEqual(['refs/heads/master']);
  });

  it.each(['HTTP', 'SSH'])('are refused one by one over %s if not UTF-8', async (by) => {
    const { project, work, head } = await projects.make();
    for (const ref of ['refs/notes/\xff', 'refs/heads/caf\xe9']) {
      const input = Buffer.from(`create ${ref} ${head}\n`, 'latin1');
      await git(['update-ref', '--stdin'], { cwd: work.folder, input });
    }
    await work.git('update-ref', 'refs/notes/ü', head);
    const refs = ['refs/notes/*:refs/notes/*', 'refs/heads/*:refs/heads/*'];
    const push = (...args: string[]) =>
      by === 'HTTP'
        ? work.push(...args)
        : keys.git(['push', keys.url(project), ...args], work.folder);
    const atomic = await push('--atomic', ...refs);
    expect(atomic).toMatchObject({ code: 1 });
    expect(await refsOf(project)).toEqual(['refs/heads/master']);
    const { code, stderr } = await push(...refs);
    expect(code).toBe(1);
    expect(
      stderr.match(/\[remote rejected\] .+ \(Ref names must be valid UTF-8\.\)/g),
    ).toHaveLength(2);
    expect(stderr).toMatch(/\[new reference\] +refs\/notes\//);
    expect(await refsOf(project)).toEqual(['refs/heads/master', 'refs/notes/ü']);
  });

  it('are created, moved, advertised and deleted by developers, like branches', async () => {
    const { project, work } = await projects.make();
    const developer = await developerOf(project, 30);
    const theirs = await projects.checkout(project, developer);
    await theirs.git('fetch', '--quiet', theirs.remote, 'master');
    await theirs.git('notes', 'add', '--message', 'Released', 'FETCH_HEAD');
    expect((await theirs.push(NOTES)).code).toBe(0);

    await work.git('fetch', '--quiet', work.remote, `${NOTES}:${NOTES}`);
    expect(await work.git('notes', 'show', 'HEAD')).toBe('Released');
    await work.git('notes', 'append', '--message', 'And tested', 'HEAD');
    expect((await work.push(NOTES)).code).toBe(0);
    await theirs.git('notes', 'append', '--message', 'Behind', 'FETCH_HEAD');
    const { stderr } = await theirs.push(NOTES);
    expect(stderr).toContain('fetch first');

    expect((await theirs.push('--delete', NOTES)).code).toBe(0);
    expect(await work.git('ls-remote', work.remote)).not.toContain(NOTES);
  });

  it('are refused to reporters and in archived projects', async () => {
    const { project } = await projects.make();
    const reporter = await developerOf(project, 20);
    const theirs = await projects.checkout(project, reporter);
    await theirs.git('fetch', '--quiet', theirs.remote, 'master');
    expect((await theirs.push(`FETCH_HEAD:${NOTES}`)).code).not.toBe(0);
    const developer = await developerOf(project, 30);
    const other = await projects.checkout(project, developer);
    await other.git('fetch', '--quiet', other.remote, 'master');
    await trellis
      .as(owner)
      .post(`/projects/${String(project.id)}/archive`)
      .expect(200);
    expect((await other.push(`FETCH_HEAD:${NOTES}`)).code).not.toBe(0);
    expect(await refsOf(project)).toEqual(['refs/heads/master']);
  });

  it('create no events and hooks, and are packed', async () => {
    const { project, work } = await projects.make();
    await trellis
      .as(owner)
      .post(`/projects/${String(project.id)}/hooks`, {
        ...{ url: 'https://hooks.example.com', push_events: true, tag_push_events: true },
      })
      .expect(200);
    const events = await eventsOf(project);
    const packing = `FROM outbox WHERE name = 'tidy-repository'`;
    await trellis.rows(`DELETE ${packing}`);
    expect((await work.push(`HEAD:${NOTES}`)).code).toBe(0);
    expect(await eventsOf(project)).toEqual(events);
    expect(await trellis.rows('SELECT 1 FROM hook_deliveries')).toEqual([]);
    expect(await trellis.rows(`SELECT 1 ${packing}`)).toHaveLength(1);
    expect(await trellis.rows('SELECT 1 FROM push_intents')).toEqual([]);
  });

  it('survive housekeeping with their objects, and are checked by fsck', async () => {
    const { project, work } = await projects.make();
    await work.git('checkout', '--quiet', '--orphan', 'apart');
    const apart = await work.commit('Apart', 'apart.txt');
    for (const ref of OTHERS) expect((await work.push(`HEAD:${ref}`)).code).toBe(0);
    await repositoryOf(project).housekeeping();
    const clone = await projects.checkout(project, owner);
    for (const ref of OTHERS) {
      await clone.git('fetch', '--quiet', clone.remote, `${ref}:${ref}`);
      expect(await clone.git('rev-parse', ref)).toBe(apart);
    }
    await clone.git('fsck', '--strict');
    const fsck = () => runCommand(['fsck', project.fullPath], trellis.sharedEnvironment);
    expect(await fsck()).toMatchObject({ code: 0 });
    const lost = path.join('refs', 'notes', 'lost');
    await writeFile(path.join(repositoryOf(project).path, lost), `${'b'.repeat(40)}\n`);
    expect(await fsck()).toMatchObject({ code: 3, output: expect.stringContaining(lost) });
  });

  it('are refused to developers in an empty project that requires masters', async () => {
    const admin = trellis.as(await trellis.factories.admin());
    await admin.put('/application/settings', { default_branch_protection: 2 }).expect(200);
    const project = await trellis.factories.project(owner);
    const developer = await developerOf(project, 30);
    const theirs = await projects.checkout(project, developer);
    await theirs.commit();
    expect((await theirs.push(`HEAD:${NOTES}`)).stderr).toContain(NO_RIGHT);
  });
});
