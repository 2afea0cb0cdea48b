import { randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import type { MadeProject, Person } from '../../support/factories.js';
import { type PushedProject, PushedProjects } from '../../support/pushed-projects.js';
import { SshPerson } from '../../support/ssh-person.js';
import { commitRandom, StoredSizes } from '../../support/stored-sizes.js';
import { Trellis } from '../../support/trellis.js';

jest.setTimeout(120_000);

const LIMIT = 3 * 1024 * 1024;
const REFUSED =
  /The project would exceed its size limit of 3,145,728 bytes: it has [\d,]+ bytes, and [\d,]+ bytes would be added\./;

describe('PROJECT_MAX_BYTES', () => {
  let trellis: Trellis;
  let second: Trellis;
  let owner: Person;
  let projects: PushedProjects;
  let sizes: StoredSizes;

  beforeAll(async () => {
    const env = { PROJECT_MAX_BYTES: String(LIMIT) };
    trellis = await Trellis.shared({ settings: env, servesSsh: true });
    second = await Trellis.start({ because: 'another process', env, beside: trellis });
    owner = await trellis.factories.user({ projectsLimit: 1000 });
    projects = new PushedProjects(trellis, owner);
    sizes = new StoredSizes(trellis);
  });
  afterAll(async () => {
    await projects.remove();
    await second.stop();
    await trellis.restore();
  });

  /** Commits on branches of their own, one for each size; answers the branches. */
  async function branchesOf(
    { work, head }: PushedProject,
    ...bytes: readonly number[]
  ): Promise<string[]> {
    const branches: string[] = [];
    for (const [at, count] of bytes.entries()) {
      const branch = `branch-${String(at)}`;
      await commitRandom(work, { branch, onto: head, bytes: count });
      branches.push(branch);
    }
    return branches;
  }

  async function expectWithin(project: MadeProject): Promise<void> {
    const counted = await sizes.counted(project);
    expect(counted?.reserved).toBe(0);
    expect(counted?.used).toBeLessThanOrEqual(LIMIT);
    expect(await sizes.onDisk(project)).toBeLessThanOrEqual(LIMIT);
  }

  it('refuses a push beyond it with a text that git shows, and stores nothing', async () => {
    const made = await projects.make();
    const { project, work } = made;
    const [fits, exceeds, small] = await branchesOf(made, 2_000_000, 1_500_000, 500_000);
    expect((await work.push(fits!)).code).toBe(0);
    const before = await sizes.onDisk(project);
    const answer = await work.push(exceeds!);
    expect(answer.code).not.toBe(0);
    expect(answer.stderr).toMatch(REFUSED);
    expect(await work.git('ls-remote', work.remote, exceeds!)).toBe('');
    expect(await sizes.onDisk(project)).toBe(before);
    const objects = await readdir(path.join(sizes.repositoryFolder(project), 'objects'));
    expect(objects.filter((name) => name.includes('incoming'))).toEqual([]);
    expect((await work.push(small!)).code).toBe(0);
    await expectWithin(project);
  });

  it('stops a push early that exceeds it alone', async () => {
    const made = await projects.make();
    const [branch] = await branchesOf(made, LIMIT + 100_000);
    const answer = await made.work.push(branch!);
    expect(answer.code).not.toBe(0);
    expect(answer.stderr).toContain('pack exceeds maximum allowed size');
    await expectWithin(made.project);
  });

  it('applies to pushes over SSH', async () => {
    const made = await projects.make();
    const keys = await SshPerson.create(trellis, owner);
    try {
      const [fits, exceeds] = await branchesOf(made, 2_000_000, 1_500_000);
      const push = (branch: string) =>
        keys.git(['push', keys.url(made.project), branch], made.work.folder);
      expect((await push(fits!)).code).toBe(0);
      const answer = await push(exceeds!);
      expect(answer.code).not.toBe(0);
      expect(answer.stderr).toMatch(REFUSED);
    } finally {
      await keys.remove();
    }
  });

  it('applies to concurrent pushes of several processes', async () => {
    const made = await projects.make();
    const branches = await branchesOf(made, ...Array<number>(6).fill(1_000_000));
    const elsewhere = await new PushedProjects(second, owner).checkout(made.project, owner);
    const answers = await Promise.all(
      branches.map((branch, at) =>
        at % 2 === 0 ? made.work.push(branch) : made.work.try('push', elsewhere.remote, branch),
      ),
    );
    await elsewhere.remove();
    expect(answers.filter(({ code }) => code === 0)).toHaveLength(3);
    for (const { stderr } of answers.filter(({ code }) => code !== 0)) {
      expect(stderr).toMatch(REFUSED);
    }
    await expectWithin(made.project);
  });

  it('applies to concurrent uploads of several processes', async () => {
    const project = await trellis.factories.project(owner);
    const there = new StoredSizes(second);
    const answers = await Promise.all(
      Array.from({ length: 14 }, (_, at) =>
        (at % 2 === 0 ? sizes : there).upload(owner, project, 400_000),
      ),
    );
    const refused = answers.filter(({ status }) => status !== 200);
    expect(refused).toHaveLength(7);
    for (const { status, body } of refused) {
      expect(status).toBe(413);
      expect((body as { message: string }).message).toMatch(REFUSED);
    }
    await expectWithin(project);
  });

  it('applies to uploads and pushes together', async () => {
    const made = await projects.make();
    const branches = await branchesOf(made, 1_000_000, 1_000_000);
    const [pushes, uploads] = await Promise.all([
      Promise.all(branches.map((branch) => made.work.push(branch))),
      Promise.all([1, 2, 3].map(() => sizes.upload(owner, made.project, 1_000_000))),
    ]);
    const stored =
      pushes.filter(({ code }) => code === 0).length +
      uploads.filter(({ status }) => status === 200).length;
    expect(stored).toBe(3);
    await expectWithin(made.project);
  });

  it('refuses commits and files of the API with 413', async () => {
    const { project } = await projects.make();
    await sizes.upload(owner, project, LIMIT - 200_000);
    const content = randomBytes(300_000).toString('base64');
    const route = `/projects/${String(project.id)}/repository`;
    const file = { file_path: 'large', encoding: 'base64', content };
    const place = { branch_name: 'master', commit_message: 'Large' };
    const answers = await Promise.all([
      trellis.as(owner).post(`${route}/files`, { ...file, ...place }),
      trellis.as(owner).post(`${route}/commits`, {
        ...place,
        actions: [{ action: 'create', ...file }],
      }),
    ]);
    for (const { status, body } of answers) {
      expect(status).toBe(413);
      expect((body as { message: string }).message).toMatch(REFUSED);
    }
    const small = { ...place, file_path: 'small', content: 'x' };
    await trellis.as(owner).post(`${route}/files`, small).expect(200);
    await expectWithin(project);
  });

  it('refuses a merge, and leaves the merge request open', async () => {
    const made = await projects.make();
    const { project, work } = made;
    const [branch] = await branchesOf(made, 1_000);
    expect((await work.push(branch!)).code).toBe(0);
    const route = `/projects/${String(project.id)}/merge_requests`;
    const draft = { source_branch: branch!, target_branch: 'master', title: 'Work' };
    const { body } = await trellis.as(owner).post(route, draft).expect(200);
    const request = `${route}/${String((body as { id: number }).id)}`;
    const used = await sizes.onDisk(project);
    expect((await sizes.upload(owner, project, LIMIT - used - 100)).status).toBe(200);
    const answer = await trellis.as(owner).put(`${request}/merge`);
    expect(answer.status).toBe(413);
    expect((answer.body as { message: string }).message).toMatch(REFUSED);
    const left = await trellis.as(owner).get(request).expect(200);
    expect(left.body).toMatchObject({ state: 'opened', merge_commit_sha: null });
  });

  it('allows a full project to delete and create branches, which takes no space', async () => {
    const made = await projects.make();
    const { project, work } = made;
    const [branch] = await branchesOf(made, 1_000);
    expect((await work.push(branch!)).code).toBe(0);
    const used = await sizes.onDisk(project);
    expect((await sizes.upload(owner, project, LIMIT - used - 100)).status).toBe(200);
    expect((await work.push(`${branch!}:refs/heads/copy`)).code).toBe(0);
    expect((await work.push(`:refs/heads/${branch!}`)).code).toBe(0);
    const route = `/projects/${String(project.id)}/repository/branches`;
    await trellis.as(owner).post(route, { branch_name: 'api', ref: 'copy' }).expect(200);
    await trellis.as(owner).delete(`${route}/copy`).expect(200);
  });

  it('limits single files to max_attachment_size under concurrency', async () => {
    const project = await trellis.factories.project(owner);
    await trellis.rows('UPDATE application_settings SET max_attachment_size = 1');
    try {
      const bytes = [...Array<number>(6).fill(1024 * 1024 + 1), 1024 * 1024];
      const answers = await Promise.all(bytes.map((count) => sizes.upload(owner, project, count)));
      expect(answers.map(({ status }) => status)).toEqual([...Array<number>(6).fill(413), 200]);
    } finally {
      await trellis.rows('UPDATE application_settings SET max_attachment_size = 10');
    }
  });
});
