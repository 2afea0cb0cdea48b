import { spawn } from 'node:child_process';
import { chmod, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import path from 'node:path';
import { buffer, text } from 'node:stream/consumers';
import type { Person } from '../../support/factories.js';
import type { Checkout } from '../../support/checkout.js';
import type { PushedProject } from '../../support/pushed-projects.js';
import { PushedProjects } from '../../support/pushed-projects.js';
import { SshPerson } from '../../support/ssh-person.js';
import { Trellis } from '../../support/trellis.js';
import { until } from '../../support/until.js';

const REFUSED = 'You are not allowed to push code to this project.';
const DEVELOPER = 30;
const PASSWORD = 'a good old password';

describe('The check of push rights before the refs move', () => {
  let trellis: Trellis;
  let root: Person;
  let owner: Person;
  let projects: PushedProjects;

  beforeAll(async () => {
    trellis = await Trellis.shared({ servesSsh: true });
    root = await trellis.factories.user({ admin: true });
    owner = await trellis.factories.user({ projectsLimit: 1000 });
    projects = new PushedProjects(trellis, owner);
  });
  afterAll(async () => {
    await projects.remove();
    await trellis.restore();
  });

  /** A project and a developer of it. */
  async function team(): Promise<PushedProject & { developer: Person }> {
    const made = await projects.make();
    const developer = await trellis.factories.user({ password: PASSWORD });
    await trellis
      .as(owner)
      .post(`/projects/${String(made.project.id)}/members`, {
        user_id: developer.user.id,
        access_level: DEVELOPER,
      })
      .expect(200);
    return { ...made, developer };
  }

  /** A pack of the commits that are not pushed yet. */
  async function packOf(work: Checkout, base: string): Promise<Buffer> {
    const child = spawn('git', ['pack-objects', '--revs', '--stdout', '-q'], { cwd: work.folder });
    child.stdin.end(`HEAD\n^${base}\n`);
    return buffer(child.stdout);
  }

  /** Pushes the working copy's head to `topic`; in the middle of it something happens. */
  async function pushAround(
    { project, work, head }: PushedProject,
    credential: string,
    happening: () => Promise<unknown>,
  ): Promise<string> {
    const newHead = await work.commit('More');
    const pack = await packOf(work, head);
    const command = `${'0'.repeat(40)} ${newHead} refs/heads/topic\0 report-status`;
    const length = (command.length + 4).toString(16).padStart(4, '0');
    const before = trellis.git.spawnCount;
    return new Promise((resolve, reject) => {
      const call = request(`${trellis.url}/${project.fullPath}.git/git-receive-pack`, {
        method: 'POST',
        headers: { Authorization: `Basic ${Buffer.from(credential).toString('base64')}` },
      });
      call.once('error', reject);
      call.once('response', (response) => void text(response).then(resolve, reject));
      call.write(`${length}${command}0000`);
      // Git is started when the sender is known and may push.
      until(() => Promise.resolve(trellis.git.spawnCount > before))
        .then(happening)
        .then(() => call.end(pack), reject);
    });
  }

  async function branches({ work }: PushedProject): Promise<string> {
    return work.git('ls-remote', work.remote, 'refs/heads/topic');
  }

  const pathOf = (made: PushedProject): string => `/projects/${String(made.project.id)}`;

  it('accepts an undisturbed push', async () => {
    const made = await team();
    const { username } = made.developer.user;
    const answer = await pushAround(made, `${username}:${made.developer.token}`, () =>
      Promise.resolve(),
    );
    expect(answer).toContain('ok refs/heads/topic');
    expect(await branches(made)).not.toBe('');
  });

  const HAPPENINGS: Record<string, (made: PushedProject & { developer: Person }) => Promise<void>> =
    {
      'the sender is blocked': async ({ developer }) => {
        await trellis
          .as(root)
          .put(`/users/${String(developer.user.id)}/block`)
          .expect(200);
      },
      'the sender is no member any more': async (made) => {
        await trellis
          .as(owner)
          .delete(`${pathOf(made)}/members/${String(made.developer.user.id)}`)
          .expect(200);
      },
      'the sender becomes a guest': async (made) => {
        await trellis
          .as(owner)
          .put(`${pathOf(made)}/members/${String(made.developer.user.id)}`, { access_level: 10 })
          .expect(200);
      },
      'the project is archived': async (made) => {
        await trellis
          .as(owner)
          .post(`${pathOf(made)}/archive`)
          .expect(200);
      },
    };

  it.each(Object.keys(HAPPENINGS))('refuses the push when %s meanwhile', async (name) => {
    const made = await team();
    const credential = `${made.developer.user.username}:${made.developer.token}`;
    const answer = await pushAround(made, credential, async () => HAPPENINGS[name]?.(made));
    expect(answer).toContain(`ng refs/heads/topic ${REFUSED}`);
    expect(await branches(made)).toBe('');
  });

  it('refuses the push when the branch was protected meanwhile', async () => {
    const made = await team();
    const credential = `${made.developer.user.username}:${made.developer.token}`;
    const answer = await pushAround(made, credential, () =>
      trellis.rows('INSERT INTO protected_branches (project_id, name) VALUES ($1, $2)', [
        made.project.id,
        'topic',
      ]),
    );
    expect(answer).toContain('You are not allowed to push code to protected branches');
    expect(await branches(made)).toBe('');
  });

  it('refuses the push when the password was changed meanwhile', async () => {
    const made = await team();
    const credential = `${made.developer.user.username}:${PASSWORD}`;
    const answer = await pushAround(made, credential, () =>
      trellis
        .as(root)
        .put(`/users/${String(made.developer.user.id)}`, { password: 'another password' })
        .expect(200),
    );
    expect(answer).toContain(`ng refs/heads/topic ${REFUSED}`);
    expect(await branches(made)).toBe('');
  });

  it('refuses the push over SSH when the key was deleted meanwhile', async () => {
    const made = await team();
    const person = await SshPerson.create(trellis, made.developer);
    try {
      await made.work.commit('By SSH');
      // Runs when git has heard what the service has: the command there is under way.
      const hook = path.join(made.work.folder, '.git', 'hooks', 'pre-push');
      await mkdir(path.dirname(hook), { recursive: true });
      await writeFile(hook, '#!/bin/sh\necho > waits\nwhile [ -e waits ]; do sleep 0.05; done\n');
      await chmod(hook, 0o755);
      const waits = path.join(made.work.folder, 'waits');
      const pushing = person.git(
        ['push', person.url(made.project), 'HEAD:refs/heads/topic'],
        made.work.folder,
      );
      await until(async () => (await readFile(waits).catch(() => null)) !== null);
      await trellis.rows('DELETE FROM ssh_keys WHERE user_id = $1', [made.developer.user.id]);
      await rm(waits);
      const { code, stderr } = await pushing;
      expect(code).not.toBe(0);
      expect(stderr).toContain(REFUSED);
      expect(await branches(made)).toBe('');
    } finally {
      await person.remove();
    }
  });
});
