import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { FLUSH_PACKET, pktLine, ZERO_OID } from '../../../src/git/index.js';
import { ProjectStorage } from '../../../src/modules/storage/index.js';
import { GIT_CONVERSATIONS } from '../../../src/platform/limits/index.js';
import { packOf, pushBody } from '../../unit/git/support/raw-push.js';
import { git as succeeding } from '../../unit/git/support/workshop.js';
import { type MadeProject, type Person, unique } from '../../support/factories.js';
import { type PushedProject, PushedProjects } from '../../support/pushed-projects.js';
import { runCommand, SshPerson } from '../../support/ssh-person.js';
import { Trellis } from '../../support/trellis.js';
import { until } from '../../support/until.js';
import { PATIENT_MS, withWait } from '../../support/with-wait.js';

jest.setTimeout(120_000);

const TEXT = {
  missing: 'The project you were looking for could not be found.',
  fetch: 'You are not allowed to download code from this project.',
  push: 'You are not allowed to push code to this project.',
};

describe('Git over SSH: fetches and pushes', () => {
  let trellis: Trellis;
  let owner: Person;
  let keys: SshPerson;
  let projects: PushedProjects;
  const made: SshPerson[] = [];

  beforeAll(async () => {
    trellis = await Trellis.shared({ servesSsh: true });
    owner = await trellis.factories.user({ projectsLimit: 1000 });
    keys = await holder(owner);
    projects = new PushedProjects(trellis, owner);
  });
  afterAll(async () => {
    await projects.remove();
    await Promise.all(made.map((one) => one.remove()));
    await trellis.restore();
  });

  async function holder(person: Person | null): Promise<SshPerson> {
    const one = await SshPerson.create(trellis, person);
    made.push(one);
    return one;
  }

  const pathOf = ({ id }: MadeProject) =>
    trellis.app.get(ProjectStorage).path({ id, storage: 'default' });
  const list = (one: SshPerson, project: MadeProject) => one.git(['ls-remote', one.url(project)]);
  const push = (one: SshPerson, { project, work }: PushedProject, ...args: string[]) =>
    one.git(['push', one.url(project), ...args], work.folder);

  it('is shown in the address of a project', async () => {
    const { project } = await projects.make();
    const answer = await trellis
      .as(owner)
      .get(`/projects/${String(project.id)}`)
      .expect(200);
    const { ssh_url_to_repo: url } = answer.body as { ssh_url_to_repo: string };
    expect(url).toBe(`ssh://git@localhost:${String(keys.port)}/${project.fullPath}.git`);
    expect(keys.port).toBeGreaterThan(0);
  });

  it('clones, fetches and pushes; the record is the same as over HTTP', async () => {
    const { project, work, head } = await projects.make();
    const clone = await keys.git(['clone', '--quiet', keys.url(project), `clone-${head}`]);
    expect(clone).toMatchObject({ code: 0, stderr: '' });
    const folder = path.join(keys.folder, `clone-${head}`);
    expect(await succeeding(['rev-parse', 'HEAD'], { cwd: folder })).toBe(head);

    const next = await work.commit('Over SSH');
    expect((await push(keys, { project, work, head }, 'HEAD:master', 'HEAD:topic')).code).toBe(0);
    expect((await keys.git(['pull', '--quiet'], folder)).code).toBe(0);
    expect(await succeeding(['rev-parse', 'HEAD'], { cwd: folder })).toBe(next);
    await succeeding(['fsck', '--strict'], { cwd: folder });

    const rows = await trellis.rows<{ action: string; author_id: number; pushed_ref: object }>(
      'SELECT action, author_id, pushed_ref FROM events WHERE project_id = $1 ORDER BY id OFFSET 2',
      [project.id],
    );
    expect(rows).toHaveLength(2);
    expect(rows).toEqual(
      expect.arrayContaining([
        {
          action: 'pushed to',
          author_id: owner.user.id,
          pushed_ref: expect.objectContaining({
            ...{ ref: 'refs/heads/master', oldOid: head, newOid: next, commitCount: 1 },
          }) as object,
        },
        {
          action: 'pushed new',
          author_id: owner.user.id,
          pushed_ref: expect.objectContaining({ ref: 'refs/heads/topic' }) as object,
        },
      ]),
    );
    expect(await trellis.rows('SELECT 1 FROM push_intents')).toEqual([]);
  });

  it('accepts the first push to a project, and paths in every permitted form', async () => {
    const { project, work } = await projects.make();
    const empty = await trellis.factories.project(owner);
    const pushed = await keys.git(['push', keys.url(empty), 'HEAD:main'], work.folder);
    expect(pushed.code).toBe(0);
    const upper = project.fullPath.toUpperCase();
    const base = `ssh://git@127.0.0.1:${String(keys.port)}`;
    for (const url of [`${base}/${project.fullPath}`, `${base}/${upper}.GIT`]) {
      expect((await keys.git(['ls-remote', url])).stdout).toContain('refs/heads/master');
    }
    const bare = await keys.ssh([`git-upload-pack '${project.fullPath}'`]);
    expect(bare.stdout).toContain('refs/heads/master');
  });

  it('uses the protocol version of the client', async () => {
    const { project } = await projects.make();
    const packets = async (version: number) => {
      const args = ['-c', `protocol.version=${String(version)}`, 'ls-remote', keys.url(project)];
      const file = path.join(keys.folder, `packets-${String(version)}`);
      const answer = await keys.git(args, keys.folder, { GIT_TRACE_PACKET: file });
      expect(answer.code).toBe(0);
      return readFile(file, 'utf8');
    };
    expect(await packets(2)).toContain('< version 2');
    expect(await packets(1)).toContain('< version 1');
    expect(await packets(0)).not.toContain('< version');
  });

  it('ignores other environment variables', async () => {
    const { project } = await projects.make();
    const trace = path.join(keys.folder, 'trace');
    const options = ['-o', `SetEnv=GIT_TRACE=${trace} GIT_TRACE2=${trace} GIT_DIR=/nowhere`];
    const answer = await keys.ssh([`git-upload-pack '${project.fullPath}.git'`], { options });
    expect(answer.stdout).toContain('refs/heads/master');
    expect(existsSync(trace)).toBe(false);
  });

  it('shows why a push is refused, and changes nothing', async () => {
    const it = await projects.make();
    await it.work.git('commit', '--quiet', '--amend', '--message', 'Rewritten');
    const forced = await push(keys, it, '--force', 'HEAD:master', 'HEAD:other');
    expect(forced.code).not.toBe(0);
    expect(forced.stderr).toContain(
      'You are not allowed to force push code to a protected branch on this project.',
    );
    const developer = await trellis.factories.user();
    await trellis.factories.addToProject(it.project, developer, 30);
    const theirs = await holder(developer);
    await it.work.git('reset', '--quiet', '--hard', it.head);
    await it.work.commit('By a developer');
    const direct = await push(theirs, it, 'HEAD:master');
    expect(direct.stderr).toContain(
      'You are not allowed to push code to protected branches on this project.',
    );
    expect((await push(theirs, it, 'HEAD:feature')).code).toBe(0);
    const refs = (await list(keys, it.project)).stdout;
    expect(refs).toContain(`${it.head}\trefs/heads/master`);
    expect(refs).not.toContain('refs/heads/other');
  });

  it('ends with the exit code of git', async () => {
    const it = await projects.make();
    const pushed = await push(keys, it, 'HEAD:refs/heads/good');
    expect(pushed.code).toBe(0);
    await it.work.git('commit', '--quiet', '--amend', '--message', 'Rewritten');
    const refused = await push(keys, it, '--force', 'HEAD:master');
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    const name = `'${it.project.fullPath}.git'`;
    const flush = Buffer.from('0000');
    const talk = (input: Buffer, command = `git-receive-pack ${name}`) =>
      keys.ssh([command], { input });
    expect((await talk(flush)).code).toBe(0);
    expect((await talk(Buffer.from('what is this'))).code).toBe(128);
    const update = { ref: 'refs/heads/new', oldOid: ZERO_OID, newOid: it.head };
    const pack = await packOf(it.work.folder, it.head);
    const whole = pushBody([update], 'report-status', pack);
    // git reports that as it reports a ref that it refuses.
    const cut = await talk(whole.subarray(0, whole.length - 30));
    expect(cut).toMatchObject({ code: 0 });
    expect(cut.stdout).toContain('ng refs/heads/new');
    const done = await talk(whole);
    expect(done).toMatchObject({ code: 0 });
    expect(done.stdout).toContain('ok refs/heads/new');
  });

  it('serves each role as over HTTP', async () => {
    const it = await projects.make();
    const person = await trellis.factories.user();
    const one = await holder(person);
    const client = await one.connect();
    const run = (service: string, input: Buffer) =>
      runCommand(client, `${service} '${it.project.fullPath}.git'`, { input });
    const pack = await packOf(it.work.folder, it.head);
    const expectAnswers = async (fetch: string | null, write: string | null) => {
      const fetched = await run('git-upload-pack', FLUSH_PACKET);
      expect([fetched.code === 0, ...lines(fetched.stderr, fetch)]).toEqual([fetch === null]);
      const update = { ref: `refs/heads/by-${unique()}`, oldOid: ZERO_OID, newOid: it.head };
      const pushed = await run('git-receive-pack', pushBody([update], 'report-status', pack));
      expect([pushed.code === 0, ...lines(pushed.stderr, write)]).toEqual([write === null]);
    };
    /** Empty when the text that is expected is there. */
    const lines = (stderr: string, text: string | null) =>
      text === null || stderr.split('\n').includes(text) ? [] : [stderr];
    const level = (value: number) =>
      trellis.rows(
        `INSERT INTO project_members (project_id, user_id, access_level) VALUES ($1, $2, $3)
          ON CONFLICT (project_id, user_id) DO UPDATE SET access_level = $3`,
        [it.project.id, person.user.id, value],
      );
    const project = (change: string) =>
      trellis.rows(`UPDATE projects SET ${change} WHERE id = $1`, [it.project.id]);

    await expectAnswers(TEXT.missing, TEXT.missing);
    await project('visibility_level = 10');
    await expectAnswers(null, TEXT.push);
    await trellis.rows('UPDATE users SET external = true WHERE id = $1', [person.user.id]);
    await expectAnswers(TEXT.missing, TEXT.missing);
    await project('visibility_level = 0');
    await level(10);
    await expectAnswers(TEXT.fetch, TEXT.push);
    await level(20);
    await expectAnswers(null, TEXT.push);
    await level(30);
    await expectAnswers(null, null);
    await project('archived = true');
    await expectAnswers(null, TEXT.push);
    await project('archived = false');
    await trellis
      .as(owner)
      .delete(`/projects/${String(it.project.id)}`)
      .expect(200);
    await expectAnswers(TEXT.missing, TEXT.missing);
    expect((await list(keys, it.project)).stderr).toContain(TEXT.missing);
    client.end();
    await once(client, 'close');
  });

  it('serves thirty clones at once', async () => {
    const { project, work } = await projects.make();
    await writeFile(path.join(work.folder, 'large'), Buffer.alloc(300_000, 'abc'));
    const head = await work.commit('Something to carry');
    expect((await work.push('HEAD:master')).code).toBe(0);
    const clone = async (): Promise<string> => {
      const client = await keys.connect();
      const input = Buffer.concat([pktLine(`want ${head}\n`), FLUSH_PACKET, pktLine('done\n')]);
      const command = `git-upload-pack '${project.fullPath}.git'`;
      const { code, stdout } = await runCommand(client, command, { input });
      client.end();
      await once(client, 'close');
      return `${String(code)} ${stdout.slice(stdout.lastIndexOf('NAK\n'), stdout.lastIndexOf('PACK') + 4)}`;
    };
    const clones = await withWait(GIT_CONVERSATIONS, PATIENT_MS, () =>
      Promise.all(Array.from({ length: 30 }, clone)),
    );
    expect(new Set(clones)).toEqual(new Set(['0 NAK\nPACK']));
  });

  it('removes all data of a push whose client is killed', async () => {
    const { project, work } = await projects.make();
    const commit = await work.commit('Never arrives');
    const update = { ref: 'refs/heads/topic', oldOid: ZERO_OID, newOid: commit };
    const body = pushBody([update], 'report-status', await packOf(work.folder, commit));
    const address = 'git@127.0.0.1';
    const command = `git-receive-pack '${project.fullPath}.git'`;
    const client = spawn('ssh', [...keys.options('-T'), address, command], { stdio: 'pipe' });
    client.stdin.write(body.subarray(0, body.length - 20));
    const objects = path.join(pathOf(project), 'objects');
    const incoming = async () => (await readdir(objects)).filter((name) => /incoming/.test(name));
    await until(async () => (await incoming()).length > 0);
    client.kill('SIGKILL');
    await until(async () => (await incoming()).length === 0);
    await succeeding(['fsck', '--strict'], { cwd: pathOf(project) });
    expect((await list(keys, project)).stdout).not.toContain('topic');
    expect(await trellis.rows('SELECT 1 FROM push_intents')).toEqual([]);
    expect((await push(keys, { project, work, head: commit }, 'HEAD:topic')).code).toBe(0);
  });
});
