import { rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { ProjectStorage } from '../../../src/modules/storage/index.js';
import { remoteOf } from '../../support/checkout.js';
import type { Person } from '../../support/factories.js';
import { type MergeRequestBody, pathOf } from '../../support/merge-requests.js';
import { type PushedProject, PushedProjects } from '../../support/pushed-projects.js';
import { shortenSnapshots, snapshotsEnd } from '../../support/snapshots.js';
import { SshPerson } from '../../support/ssh-person.js';
import { Trellis } from '../../support/trellis.js';

jest.setTimeout(120_000);

const REFUSAL = {
  message: '503 Service Unavailable - the repository is missing in its storage',
};

const READS = [
  '/repository/commits',
  '/repository/commits/master',
  '/repository/commits/master/diff',
  '/repository/commits/master/statuses',
  '/repository/branches',
  '/repository/branches/master',
  '/repository/tags',
  '/repository/tags/v1',
  '/repository/tree',
  '/repository/files?file_path=README.md&ref=master',
  '/repository/blobs/master?filepath=README.md',
  '/repository/archive',
  '/repository/contributors',
  '/repository/compare?from=master&to=topic',
];
/** The same in version 4 alone. */
const V4_READS = [
  '/repository/commits/master/merge_requests',
  '/repository/commits/master/refs',
  '/repository/commits/master/sequence',
  '/repository/commits/master/signature',
  '/repository/commits?all=true',
  '/languages',
  '/repository/changelog?version=1.0.0&from=master',
  '/repository/files/README.md/blame?ref=master',
  '/repository/tree?pagination=keyset',
  '/releases',
  '/releases/v0',
];
const WRITES = [
  ['post', '/repository/branches', { branch_name: 'new', ref: 'master' }],
  ['delete', '/repository/branches/topic', {}],
  ['post', '/repository/tags', { tag_name: 'v1', ref: 'master' }],
  [
    'post',
    '/repository/files',
    { file_path: 'a', branch_name: 'master', content: 'b', commit_message: 'c' },
  ],
] as const;

describe('a project whose repository is missing in its storage', () => {
  let trellis: Trellis;
  let owner: Person;
  let projects: PushedProjects;
  let pushed: PushedProject;
  let request: MergeRequestBody;
  let base: string;
  let folder: string;

  beforeAll(async () => {
    trellis = await Trellis.shared({ servesSsh: true });
    shortenSnapshots(trellis);
    owner = await trellis.factories.user();
    projects = new PushedProjects(trellis, owner);
    pushed = await projects.make();
    base = `/projects/${String(pushed.project.id)}`;
    await pushed.work.commit('Second commit');
    await pushed.work.push('HEAD:refs/heads/topic');
    const input = { source_branch: 'topic', target_branch: 'master', title: 'Topic' };
    const made = await trellis.as(owner).post(`${base}/merge_requests`, input).expect(200);
    request = made.body as MergeRequestBody;
    const release = { tag_name: 'v0', ref: 'master' };
    await trellis.as(owner).v4.post(`${base}/releases`, release).expect(201);
    folder = trellis.app.get(ProjectStorage).path({ id: pushed.project.id, storage: 'default' });
    await rename(folder, `${folder}-aside`);
    await snapshotsEnd();
  });
  afterAll(async () => {
    await projects.remove();
    await trellis.restore();
  });

  it.each(V4_READS)('answers GET %s of version 4 with 503 and the reason', async (read) => {
    const answer = await trellis.as(owner).v4.get(`${base}${read}`).expect(503);
    expect(answer.body).toEqual(REFUSAL);
  });

  it.each(READS)('answers GET %s with 503 and the reason', async (read) => {
    const answer = await trellis.as(owner).get(`${base}${read}`).expect(503);
    expect(answer.body).toEqual(REFUSAL);
    expect(answer.headers['retry-after']).toBe('10');
  });

  it.each(WRITES)('refuses %s %s with 503 and the reason', async (method, write, input) => {
    const answer = await trellis.as(owner).call(method, `${base}${write}`).send(input).expect(503);
    expect(answer.body).toEqual(REFUSAL);
  });

  it('keeps merge requests readable, and leaves their merge status unchanged', async () => {
    await trellis.rows(`UPDATE merge_requests SET merge_status = 'unchecked'`);
    const read = await trellis.as(owner).get(pathOf(request)).expect(200);
    expect(read.body).toMatchObject({ state: 'opened', merge_status: 'unchecked' });
    const [row] = await trellis.rows(`SELECT merge_status FROM merge_requests`);
    expect(row).toEqual({ merge_status: 'unchecked' });
  });

  it('shows the reason to git over HTTP and over SSH', async () => {
    const overHttp = await pushed.work.try('ls-remote', remoteOf(trellis, pushed.project, owner));
    expect(overHttp.stderr).toContain(
      'remote: The service is unavailable at the moment: the repository is missing in its storage. Try again in 10 seconds.',
    );
    const push = await pushed.work.push('HEAD:refs/heads/other');
    expect(push.stderr).toContain('the repository is missing in its storage');
    const person = await SshPerson.create(trellis, owner);
    try {
      const command = `git-upload-pack '/${pushed.project.fullPath}.git'`;
      const overSsh = await person.ssh([command]);
      expect(overSsh.stderr).toContain(
        'The service is unavailable at the moment: the repository is missing in its storage.',
      );
    } finally {
      await rm(person.folder, { recursive: true });
    }
  });
});

describe('a project whose repository is damaged in its storage', () => {
  let trellis: Trellis;
  let owner: Person;
  let projects: PushedProjects;
  let person: SshPerson;

  beforeAll(async () => {
    trellis = await Trellis.shared({ servesSsh: true });
    shortenSnapshots(trellis);
    owner = await trellis.factories.user({ projectsLimit: 1000 });
    projects = new PushedProjects(trellis, owner);
    person = await SshPerson.create(trellis, owner);
  });
  afterAll(async () => {
    await person.remove();
    await projects.remove();
    await trellis.restore();
  });

  /** A project with the branches `master` and `topic`, whose repository then loses a part. */
  async function makeWithout(part: string): Promise<PushedProject & { base: string }> {
    const pushed = await projects.make();
    await pushed.work.commit('Second commit');
    await pushed.work.push('HEAD:refs/heads/topic');
    const { id } = pushed.project;
    const folder = trellis.app.get(ProjectStorage).path({ id, storage: 'default' });
    await rename(path.join(folder, part), path.join(folder, 'aside'));
    await snapshotsEnd();
    return { ...pushed, base: `/projects/${String(id)}` };
  }

  it('answers all reads with 503 and the reason without its folder refs', async () => {
    const { base } = await makeWithout('refs');
    for (const read of READS) {
      const { status, body } = await trellis.as(owner).get(`${base}${read}`);
      expect([read, status, body]).toEqual([read, 503, REFUSAL]);
    }
  });

  it.each(['HEAD', 'refs', 'objects'])(
    'refuses writes and git with 503 without %s',
    async (part) => {
      const { base, project, work } = await makeWithout(part);
      for (const [method, write, input] of WRITES) {
        const { status, body } = await trellis
          .as(owner)
          .call(method, `${base}${write}`)
          .send(input);
        const message = expect.stringMatching(
          /^503 Service Unavailable - (?:the repository is missing in its storage|git finds no repository in its folder)$/,
        ) as string;
        expect([write, status, body]).toEqual([write, 503, { message }]);
      }
      for (const args of [
        ['ls-remote', work.remote],
        ['push', work.remote, 'HEAD:refs/heads/other'],
      ]) {
        const { stderr } = await work.try(...args);
        expect(stderr).toContain(
          'unavailable at the moment: the repository is missing in its storage',
        );
      }
      const { stderr } = await person.git(['ls-remote', person.url(project)], work.folder);
      expect(stderr).toContain(
        'unavailable at the moment: the repository is missing in its storage',
      );
    },
  );
});
