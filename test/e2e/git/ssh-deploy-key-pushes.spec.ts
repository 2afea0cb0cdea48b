import { once } from 'node:events';
import { buffer } from 'node:stream/consumers';
import { spawn } from 'node:child_process';
import type { MadeProject, Person } from '../../support/factories.js';
import { QueueingHook } from '../../support/hooks.js';
import { type PushedProject, PushedProjects } from '../../support/pushed-projects.js';
import { beginCommand, SshPerson } from '../../support/ssh-person.js';
import { Trellis } from '../../support/trellis.js';
import type { CommandResult } from '../../unit/git/support/workshop.js';

jest.setTimeout(120_000);

const READ_ONLY = 'This deploy key does not have write access to this project.';
const NO_PUSH = 'You are not allowed to push code to this project.';
const PROTECTED = 'You are not allowed to push code to protected branches on this project.';

interface Keyed extends PushedProject {
  machine: SshPerson;
  id: number;
  master: Person;
}

describe('a push with a deploy key', () => {
  let trellis: Trellis;
  let admin: Person;
  let owner: Person;
  let projects: PushedProjects;
  const made: SshPerson[] = [];

  beforeAll(async () => {
    trellis = await Trellis.shared({ servesSsh: true });
    admin = await trellis.factories.admin();
    owner = await trellis.factories.user({ projectsLimit: 1000 });
    projects = new PushedProjects(trellis, owner);
  });
  afterAll(async () => {
    await projects.remove();
    await Promise.all(made.map((one) => one.remove()));
    await trellis.restore();
  });

  const pathOf = ({ id }: MadeProject) => `/projects/${String(id)}`;
  const keyPath = (project: MadeProject, id: number) =>
    `${pathOf(project)}/deploy_keys/${String(id)}`;

  const allow = (project: MadeProject, id: number, canPush = true, who = owner) =>
    trellis.as(who).v4.put(keyPath(project, id), { can_push: canPush }).expect(200);

  /** A project, and a deploy key that one of its masters has added. */
  async function keyed(canPush = true, options = {}): Promise<Keyed> {
    const pushed = await projects.make(options);
    const master = await trellis.factories.user();
    await trellis.factories.addToProject(pushed.project, master, 40);
    const machine = await SshPerson.create(trellis, null);
    made.push(machine);
    const { body } = await trellis
      .as(master)
      .v4.post(`${pathOf(pushed.project)}/deploy_keys`, {
        title: 'Deploys',
        key: machine.line,
        can_push: canPush,
      })
      .expect(201);
    return { ...pushed, machine, master, id: (body as { id: number }).id };
  }

  const push = (
    { machine, work }: Pick<Keyed, 'machine' | 'work'>,
    to: MadeProject,
    ref = 'refs/heads/topic',
  ): Promise<CommandResult> => machine.git(['push', machine.url(to), `HEAD:${ref}`], work.folder);

  const newestAuthor = async ({ id }: MadeProject): Promise<number | undefined> => {
    const [event] = await trellis.rows<{ authorId: number }>(
      `SELECT author_id AS "authorId" FROM events WHERE project_id = $1 ORDER BY id DESC LIMIT 1`,
      [id],
    );
    return event?.authorId;
  };

  const tipOf = async (project: MadeProject, branch = 'topic'): Promise<string | undefined> => {
    const answer = await trellis.as(owner).get(`${pathOf(project)}/repository/branches/${branch}`);
    return (answer.body as { commit?: { id: string } }).commit?.id;
  };

  it('moves unprotected branches as the master who allowed it', async () => {
    const key = await keyed();
    const { project, work, master } = key;
    const issue = await trellis
      .as(owner)
      .post(`${pathOf(project)}/issues`, { title: 'A bug' })
      .expect(200);
    const { iid } = issue.body as { iid: number };
    const hook = await QueueingHook.ofProject(trellis, owner, project, { push_events: true });
    const head = await work.commit(`Mention #${String(iid)}`);
    expect(await push(key, project)).toMatchObject({ code: 0 });
    expect(await tipOf(project)).toBe(head);
    const events = await trellis.as(owner).v4.get(`${pathOf(project)}/events?action=pushed`);
    expect((events.body as object[])[0]).toMatchObject({
      author_id: master.user.id,
      push_data: { ref: 'topic', commit_to: head },
    });
    expect(await hook.queuedPayload()).toMatchObject({
      user_id: master.user.id,
      user_name: master.user.name,
      after: head,
    });
    expect(await push(key, project, 'refs/tags/v1')).toMatchObject({ code: 0 });
    expect(await trellis.rows('SELECT 1 FROM push_intents')).toEqual([]);
  });

  it('is refused by protected branches, also by those open to developers', async () => {
    const key = await keyed();
    const { project, work, head } = key;
    await work.commit('By a machine');
    const refused = await push(key, project, 'refs/heads/master');
    expect(refused.code).not.toBe(0);
    expect(refused.stderr).toContain(PROTECTED);
    await trellis
      .as(owner)
      .put(`${pathOf(project)}/repository/branches/master/protect`, { developers_can_push: true })
      .expect(200);
    expect((await push(key, project, 'refs/heads/master')).stderr).toContain(PROTECTED);
    expect(await tipOf(project, 'master')).toBe(head);
  });

  it('moves no tags, as those of developers', async () => {
    const key = await keyed();
    expect(await push(key, key.project, 'refs/tags/v1')).toMatchObject({ code: 0 });
    await key.work.commit('More');
    const { machine, work, project } = key;
    const force = ['push', '--force', machine.url(project), 'HEAD:refs/tags/v1'];
    const moved = await machine.git(force, work.folder);
    expect(moved.stderr).toContain('You are not allowed to change existing tags');
  });

  it('needs the right in that project: not another one, a public one or a fork', async () => {
    const key = await keyed();
    const { project: other } = await projects.make({ visibilityLevel: 20 });
    await key.work.commit('Elsewhere');
    const atOther = await push(key, other);
    expect(atOther.stderr.split('\n')).toContain(READ_ONLY);
    await trellis
      .as(admin)
      .v4.post(`${keyPath(other, key.id)}/enable`)
      .expect(201);
    expect((await push(key, other)).stderr.split('\n')).toContain(READ_ONLY);
    await allow(other, key.id);
    expect((await push(key, other)).code).toBe(0);
    expect(await newestAuthor(other)).toBe(owner.user.id);
    const { project: hidden } = await projects.make();
    expect((await push(key, hidden)).stderr).toContain('could not be found');
  });

  it('follows the right when it is given and taken away', async () => {
    const key = await keyed(false);
    await key.work.commit('First');
    expect((await push(key, key.project)).stderr.split('\n')).toContain(READ_ONLY);
    await allow(key.project, key.id);
    expect((await push(key, key.project)).code).toBe(0);
    await allow(key.project, key.id, false);
    await key.work.commit('Second');
    expect((await push(key, key.project)).stderr.split('\n')).toContain(READ_ONLY);
  });

  it('is refused while the master who allowed it is blocked or cannot read the project', async () => {
    const key = await keyed();
    const { project, master } = key;
    const { id } = master.user;
    await key.work.commit('By a machine');
    await trellis
      .as(admin)
      .put(`/users/${String(id)}/block`)
      .expect(200);
    expect((await push(key, project)).stderr.split('\n')).toContain(NO_PUSH);
    await trellis
      .as(admin)
      .put(`/users/${String(id)}/unblock`)
      .expect(200);
    const member = `${pathOf(project)}/members/${String(id)}`;
    await trellis.as(owner).put(member, { access_level: 10 }).expect(200);
    expect((await push(key, project)).stderr.split('\n')).toContain(NO_PUSH);
    await trellis.as(owner).delete(member).expect(200);
    expect((await push(key, project)).stderr.split('\n')).toContain(NO_PUSH);
    expect(await tipOf(project)).toBeUndefined();
    await trellis.factories.addToProject(project, master, 20);
    expect((await push(key, project)).code).toBe(0);
  });

  it('is made in the name of another master only after the right was taken away and given again', async () => {
    const key = await keyed();
    await key.work.commit('By a machine');
    await allow(key.project, key.id);
    expect((await push(key, key.project)).code).toBe(0);
    expect(await newestAuthor(key.project)).toBe(key.master.user.id);
    await allow(key.project, key.id, false);
    await allow(key.project, key.id);
    await key.work.commit('Again');
    expect((await push(key, key.project)).code).toBe(0);
    expect(await newestAuthor(key.project)).toBe(owner.user.id);
  });

  it('is refused by archived projects', async () => {
    const key = await keyed();
    await trellis
      .as(owner)
      .post(`${pathOf(key.project)}/archive`)
      .expect(200);
    await key.work.commit('Late');
    expect((await push(key, key.project)).stderr.split('\n')).toContain(NO_PUSH);
  });

  it('makes the first branch of a repository only where developers may', async () => {
    const key = await keyed();
    const protect = (level: number) =>
      trellis
        .as(admin)
        .v4.put('/application/settings', { default_branch_protection: level })
        .expect(200);
    const empty = await trellis.factories.project(owner);
    await trellis
      .as(admin)
      .v4.post(`${keyPath(empty, key.id)}/enable`)
      .expect(201);
    await allow(empty, key.id);
    await trellis.factories.addToProject(empty, key.master, 20);
    const first = () => push(key, empty, 'refs/heads/master');
    expect((await first()).stderr).toContain(NO_PUSH);
    await protect(1);
    const allowed = await first();
    await protect(2);
    expect(allowed.code).toBe(0);
  });

  describe('that waits', () => {
    /** Begins a push, and sends its objects after something has happened. */
    async function pushAround(key: Keyed, happening: () => Promise<unknown>): Promise<string> {
      const { machine, project, work, head } = key;
      const newHead = await work.commit('More');
      const packer = spawn('git', ['pack-objects', '--revs', '--stdout', '-q'], {
        cwd: work.folder,
      });
      packer.stdin.end(`HEAD\n^${head}\n`);
      const pack = await buffer(packer.stdout);
      const client = await machine.connect();
      const channel = await beginCommand(client, `git-receive-pack '${project.fullPath}.git'`);
      const output: Buffer[] = [];
      channel.on('data', (part: Buffer) => output.push(part));
      if (output.length === 0) await once(channel, 'data');
      await happening();
      const command = `${'0'.repeat(40)} ${newHead} refs/heads/topic\0 report-status`;
      const length = (command.length + 4).toString(16).padStart(4, '0');
      channel.end(Buffer.concat([Buffer.from(`${length}${command}0000`), pack]));
      await once(channel, 'close');
      client.end();
      return Buffer.concat(output).toString('latin1');
    }

    it('is accepted when nothing happens', async () => {
      const key = await keyed();
      expect(await pushAround(key, () => Promise.resolve())).toContain('ok refs/heads/topic');
    });

    const HAPPENINGS: Record<string, (key: Keyed) => Promise<unknown>> = {
      'the right is taken away': async ({ project, id }) => allow(project, id, false),
      'the key is removed': async ({ project, id }) =>
        trellis.as(owner).v4.delete(keyPath(project, id)).expect(204),
      'the key becomes that of an account': async ({ project, id, master, machine }) => {
        await trellis.as(owner).v4.delete(keyPath(project, id)).expect(204);
        await trellis
          .as(master)
          .post('/user/keys', { title: 'Mine', key: machine.line })
          .expect(201);
      },
      'the master who allowed it is blocked': async ({ master }) =>
        trellis
          .as(admin)
          .put(`/users/${String(master.user.id)}/block`)
          .expect(200),
      'the master who allowed it loses the project': async ({ project, master }) =>
        trellis
          .as(owner)
          .delete(`${pathOf(project)}/members/${String(master.user.id)}`)
          .expect(200),
      'the project is archived': async ({ project }) =>
        trellis
          .as(owner)
          .post(`${pathOf(project)}/archive`)
          .expect(200),
    };

    it.each(Object.keys(HAPPENINGS))('is refused when %s', async (name) => {
      const key = await keyed();
      const answer = await pushAround(key, async () => HAPPENINGS[name]?.(key));
      expect(answer).toContain('ng refs/heads/topic');
      expect(await tipOf(key.project)).toBeUndefined();
    });
  });
});
