import { once } from 'node:events';
import path from 'node:path';
import type { MadeProject, Person } from '../../support/factories.js';
import { PushedProjects } from '../../support/pushed-projects.js';
import { type KeyKind, runCommand, SshPerson } from '../../support/ssh-person.js';
import { Trellis } from '../../support/trellis.js';
import type { CommandResult } from '../../unit/git/support/workshop.js';

jest.setTimeout(120_000);

const MISSING = 'The project you were looking for could not be found.';
const NO_PUSH = 'This deploy key does not have write access to this project.';

describe('Git over SSH with a deploy key', () => {
  let trellis: Trellis;
  let owner: Person;
  let projects: PushedProjects;
  const made: SshPerson[] = [];

  beforeAll(async () => {
    trellis = await Trellis.shared({ servesSsh: true });
    owner = await trellis.factories.user({ projectsLimit: 1000 });
    projects = new PushedProjects(trellis, owner);
  });
  afterAll(async () => {
    await projects.remove();
    await Promise.all(made.map((one) => one.remove()));
    await trellis.restore();
  });

  const pathOf = ({ id }: MadeProject) => `/projects/${String(id)}/deploy_keys`;

  /** A deploy key of a project, and the machine that has it. */
  async function deployKey(project: MadeProject, kind?: KeyKind) {
    const machine = await SshPerson.create(trellis, null, kind);
    made.push(machine);
    const answer = await trellis
      .as(owner)
      .post(pathOf(project), { title: 'Deploys', key: machine.line })
      .expect(200);
    return { machine, id: (answer.body as { id: number }).id };
  }

  const link = (project: MadeProject, id: number) =>
    trellis
      .as(owner)
      .post(`${pathOf(project)}/${String(id)}/enable`)
      .expect(200);
  const unlink = (project: MadeProject, id: number) =>
    trellis
      .as(owner)
      .delete(`${pathOf(project)}/${String(id)}/disable`)
      .expect(200);
  /** Asks for the refs of a project on a connection for that alone. */
  async function list(machine: SshPerson, project: MadeProject): Promise<CommandResult> {
    const client = await machine.connect();
    const closed = once(client, 'close');
    const input = Buffer.from('0000');
    const answer = await runCommand(client, `git-upload-pack '${project.fullPath}.git'`, { input });
    client.end();
    await closed;
    return answer;
  }
  const set = ({ id }: MadeProject, change: string) =>
    trellis.rows(`UPDATE projects SET ${change} WHERE id = $1`, [id]);

  it.each(['ed25519', 'ed25519 with a leading zero', 'rsa', 'ecdsa'] as const)(
    'clones its project: %s',
    async (kind) => {
      const { project, head } = await projects.make();
      const { machine } = await deployKey(project, kind);
      const cloned = await machine.git(['clone', '--quiet', machine.url(project), 'clone']);
      expect(cloned).toMatchObject({ code: 0, stderr: '' });
      const parsed = await machine.git(['rev-parse', 'HEAD'], path.join(machine.folder, 'clone'));
      expect(parsed.stdout.trim()).toBe(head);
      expect(await machine.ssh([])).toEqual({ code: 0, stdout: 'Welcome, Deploys!\n', stderr: '' });
    },
  );

  it('reads linked projects, and others only if they are public', async () => {
    const { project } = await projects.make();
    const { machine, id } = await deployKey(project);
    for (const visibilityLevel of [0, 10]) {
      const { project: another, head } = await projects.make({ visibilityLevel });
      expect((await list(machine, another)).stderr).toContain(MISSING);
      await link(another, id);
      expect((await list(machine, another)).stdout).toContain(`${head} refs/heads/master`);
      await unlink(another, id);
      expect((await list(machine, another)).stderr).toContain(MISSING);
    }
    const { project: open, head: openHead } = await projects.make({ visibilityLevel: 20 });
    expect((await list(machine, open)).stdout).toContain(`${openHead} refs/heads/master`);
    await set(project, 'archived = true');
    expect((await list(machine, project)).code).toBe(0);
  });

  it('is read-only', async () => {
    const { project, work, head } = await projects.make();
    const { project: other } = await projects.make({ visibilityLevel: 20 });
    const { machine } = await deployKey(project);
    await work.commit('By a machine');
    const push = (to: MadeProject, ref: string) =>
      machine.git(['push', machine.url(to), `HEAD:${ref}`], work.folder);
    for (const ref of ['refs/heads/master', 'refs/heads/new', 'refs/tags/new']) {
      const refused = await push(project, ref);
      expect(refused.code).not.toBe(0);
      expect(refused.stderr.split('\n')).toContain(NO_PUSH);
    }
    expect((await push(other, 'refs/heads/new')).stderr.split('\n')).toContain(NO_PUSH);
    const refs = await machine.git(['ls-remote', machine.url(project)]);
    expect(refs.stdout).toBe(`${head}\tHEAD\n${head}\trefs/heads/master\n`);
    expect(await trellis.rows('SELECT 1 FROM push_intents')).toEqual([]);
    expect(await machine.ssh([`git-receive-pack '${project.fullPath}.git'`])).toEqual({
      code: 1,
      stdout: '',
      stderr: `${NO_PUSH}\n`,
    });
  });

  it('is refused after the key is removed, or the project deleted', async () => {
    const { project } = await projects.make();
    const { project: second } = await projects.make();
    const { machine, id } = await deployKey(project);
    await link(second, id);
    await unlink(project, id);
    expect((await list(machine, project)).stderr).toContain(MISSING);
    expect((await list(machine, second)).code).toBe(0);
    await trellis
      .as(owner)
      .delete(`/projects/${String(second.id)}`)
      .expect(200);
    const denied = await machine.ssh([]);
    expect(denied).toMatchObject({ code: 255, stdout: '' });
    expect(denied.stderr).toContain('Permission denied (publickey).');
  });

  it('respects the protocols that the instance allows', async () => {
    const { project } = await projects.make();
    const { machine } = await deployKey(project);
    const allow = (protocol: string | null) =>
      trellis.rows('UPDATE application_settings SET enabled_git_access_protocol = $1', [protocol]);
    await allow('http');
    const refused = await machine.ssh([]);
    await allow(null);
    expect(refused.stderr).toBe('Git access over SSH is not allowed\n');
    expect((await list(machine, project)).code).toBe(0);
  });

  it('is not a credential of an account', async () => {
    const { project } = await projects.make();
    const { machine } = await deployKey(project);
    await trellis
      .as(owner)
      .delete(`/projects/${String(project.id)}`)
      .expect(200);
    expect((await machine.ssh([])).code).toBe(255);
    await trellis
      .as(owner)
      .post('/user/keys', { title: 'Mine now', key: machine.line })
      .expect(201);
    expect((await machine.ssh([])).stdout).toBe(`Welcome, ${owner.user.name}!\n`);
  });
});
