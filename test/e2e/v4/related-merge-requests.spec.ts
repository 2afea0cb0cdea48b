import { runJobsOf } from '../../support/due-jobs.js';
import type { MadeProject, Person } from '../../support/factories.js';
import { openIssue } from '../../support/issues.js';
import { PushedProjects } from '../../support/pushed-projects.js';
import { Trellis } from '../../support/trellis.js';
import { basicUser, type NumberedBody } from '../../support/v4-bodies.js';

jest.setTimeout(180_000);

interface CommitBody {
  id: string;
}

interface RequestBody extends NumberedBody {
  merge_commit_sha: string | null;
  squash_commit_sha: string | null;
}

describe('related merge requests of version 4', () => {
  let trellis: Trellis;
  let projects: PushedProjects;
  let owner: Person;
  let member: Person;
  let stranger: Person;

  beforeAll(async () => {
    trellis = await Trellis.shared({ runsJobs: true });
    const { factories } = trellis;
    owner = await factories.user();
    member = await factories.user();
    stranger = await factories.user();
    projects = new PushedProjects(trellis, owner);
  });
  afterAll(async () => {
    await projects.remove();
    await trellis.restore();
  });

  const v4 = (person: Person) => trellis.as(person).v4;
  const anonymous = () => trellis.anonymous.v4;
  const at = ({ id }: { id: number }) => `/projects/${String(id)}`;

  const commit = async (
    project: MadeProject,
    branch: string,
    from: string,
    message = 'A change',
  ): Promise<string> => {
    const actions = [
      { action: 'create', file_path: `${branch}-${message.length}`, content: branch },
    ];
    const start = branch === from ? {} : { start_branch: from };
    const { body } = await v4(owner)
      .post(`${at(project)}/repository/commits`, {
        branch,
        ...start,
        commit_message: message,
        actions,
      })
      .expect(201);
    return (body as CommitBody).id;
  };
  const open = async (
    project: MadeProject,
    branch: string,
    body: object = {},
  ): Promise<RequestBody> => {
    const input = { source_branch: branch, target_branch: 'master', title: branch, ...body };
    const answer = await v4(owner)
      .post(`${at(project)}/merge_requests`, input)
      .expect(201);
    return answer.body as RequestBody;
  };
  const merge = async (project: MadeProject, { iid }: NumberedBody, body: object = {}) => {
    const path = `${at(project)}/merge_requests/${String(iid)}/merge`;
    return (await v4(owner).put(path, body).expect(200)).body as RequestBody;
  };
  const close = async (project: MadeProject, { iid }: NumberedBody) => {
    const path = `${at(project)}/merge_requests/${String(iid)}`;
    await v4(owner).put(path, { state_event: 'close' }).expect(200);
  };
  const iids = (body: unknown): number[] => (body as NumberedBody[]).map(({ iid }) => iid);

  describe('of a commit', () => {
    const listed = async (person: Person | null, project: MadeProject, sha: string, query = '') => {
      const client = person === null ? anonymous() : v4(person);
      const path = `${at(project)}/repository/commits/${sha}/merge_requests${query}`;
      return iids((await client.get(path).expect(200)).body);
    };

    it('has those with the commit among theirs, as merge commit or as squash commit', async () => {
      const { project, head } = await projects.make();
      const first = await commit(project, 'one', 'master');
      const one = await open(project, 'one');
      const { merge_commit_sha: merged } = await merge(project, one);
      await commit(project, 'two', 'master', 'First of two');
      const second = await commit(project, 'two', 'two', 'Second of two commits');
      const two = await open(project, 'two', { squash: true });
      const { squash_commit_sha: squashed } = await merge(project, two, { squash: true });
      await commit(project, 'three', 'master');
      await open(project, 'three');
      expect(await listed(owner, project, first)).toEqual([one.iid]);
      expect(await listed(owner, project, merged ?? '')).toEqual([one.iid]);
      expect(await listed(owner, project, second)).toEqual([two.iid]);
      expect(await listed(owner, project, squashed ?? '')).toEqual([two.iid]);
      // Merge requests from later on contain it as well, but do not bring it.
      expect(await listed(owner, project, head)).toEqual([]);
    });

    it('lists them newest first, by state and in pages, and only where they may be read', async () => {
      const { project } = await projects.make({ visibilityLevel: 20 });
      const sha = await commit(project, 'one', 'master');
      await commit(project, 'two', 'one', 'On top of it');
      const [one, two] = [await open(project, 'one'), await open(project, 'two')];
      await close(project, one);
      expect(await listed(owner, project, sha)).toEqual([two.iid, one.iid]);
      expect(await listed(owner, project, 'one')).toEqual([two.iid, one.iid]);
      expect(await listed(owner, project, sha, '?state=opened')).toEqual([two.iid]);
      expect(await listed(owner, project, sha, '?state=closed')).toEqual([one.iid]);
      expect(await listed(owner, project, sha, '?state=merged')).toEqual([]);
      expect(await listed(owner, project, sha, '?per_page=1&page=2')).toEqual([one.iid]);
      expect(await listed(null, project, sha)).toEqual([two.iid, one.iid]);
      const path = `${at(project)}/repository/commits`;
      await v4(owner).get(`${path}/${sha}/merge_requests?state=odd`).expect(400);
      const unknown = await v4(owner)
        .get(`${path}/${'1'.repeat(40)}/merge_requests`)
        .expect(404);
      expect(unknown.body).toEqual({ message: '404 Commit Not Found' });
      await v4(owner).put(at(project), { visibility: 'private' }).expect(200);
      await v4(stranger).get(`${path}/${sha}/merge_requests`).expect(404);
      await trellis.factories.addToProject(project, member, 10);
      await v4(member).get(`${path}/${sha}/merge_requests`).expect(403);
    });
  });

  describe('of an issue', () => {
    const listed = async (
      person: Person | null,
      project: MadeProject,
      iid: number,
      list: 'related_merge_requests' | 'closed_by',
    ): Promise<NumberedBody[]> => {
      const client = person === null ? anonymous() : v4(person);
      const path = `${at(project)}/issues/${String(iid)}/${list}`;
      return (await client.get(path).expect(200)).body as NumberedBody[];
    };

    it('has those that mention it and those that it mentions, its own project first', async () => {
      const { project } = await projects.make({ visibilityLevel: 20 });
      const { project: other } = await projects.make();
      for (const one of [project, other]) await commit(one, 'one', 'master');
      const mentioned = await open(project, 'one');
      await close(project, mentioned);
      const description = `See !${String(mentioned.iid)}`;
      const issue = await openIssue(trellis, owner, project, { description });
      const name = `${owner.user.username}/${project.path}#${String(issue.iid)}`;
      const foreign = await open(other, 'one', { description: `For ${name}` });
      const own = await open(project, 'one');
      const notes = `${at(project)}/merge_requests/${String(own.iid)}/notes`;
      await v4(owner)
        .post(notes, { body: `Part of #${String(issue.iid)}` })
        .expect(201);
      const seen = async (person: Person | null) =>
        (await listed(person, project, issue.iid, 'related_merge_requests')).map(({ id }) => id);
      expect(await seen(owner)).toEqual([mentioned.id, own.id, foreign.id]);
      // The other project is private.
      expect(await seen(stranger)).toEqual([mentioned.id, own.id]);
      expect(await seen(null)).toEqual([mentioned.id, own.id]);
      expect(await listed(owner, project, issue.iid, 'closed_by')).toEqual([]);
    });

    it('is closed by those whose description says so', async () => {
      const { project } = await projects.make({ visibilityLevel: 20 });
      const issue = await openIssue(trellis, owner, project);
      const closing = `Closes #${String(issue.iid)}`;
      await commit(project, 'one', 'master');
      await commit(project, 'two', 'master', 'Another');
      await commit(project, 'three', 'master', 'Other text of another length');
      const one = await open(project, 'one', { description: closing });
      const two = await open(project, 'two', { description: `${closing}\n${'x'.repeat(2_000)}` });
      await open(project, 'three', { description: `Part of #${String(issue.iid)}` });
      await runJobsOf(trellis, 'issues');
      const both = [two.iid, one.iid];
      expect(iids(await listed(owner, project, issue.iid, 'closed_by'))).toEqual(both);
      expect(iids(await listed(null, project, issue.iid, 'closed_by'))).toEqual(both);
      await merge(project, one);
      await runJobsOf(trellis, 'issues');
      expect(iids(await listed(owner, project, issue.iid, 'closed_by'))).toEqual(both);
    });

    it('are hidden with it, and where merge requests are switched off', async () => {
      const { project } = await projects.make({ visibilityLevel: 20 });
      const issue = await openIssue(trellis, owner, project, { confidential: true });
      await commit(project, 'one', 'master');
      await open(project, 'one', { description: `Closes #${String(issue.iid)}` });
      for (const list of ['related_merge_requests', 'closed_by'] as const) {
        expect(await listed(owner, project, issue.iid, list)).toHaveLength(1);
        const path = `${at(project)}/issues/${String(issue.iid)}/${list}`;
        await v4(stranger).get(path).expect(404);
        await anonymous().get(path).expect(404);
      }
      await v4(owner).put(at(project), { merge_requests_enabled: false }).expect(200);
      for (const list of ['related_merge_requests', 'closed_by'] as const) {
        expect(await listed(owner, project, issue.iid, list)).toEqual([]);
      }
    });
  });

  describe('reviewers', () => {
    it('are shown in their order, with the time of the request', async () => {
      const { project } = await projects.make({ visibilityLevel: 20 });
      await trellis.factories.addToProject(project, member, 30);
      await commit(project, 'one', 'master');
      const ids = [member.user.id, owner.user.id];
      const request = await open(project, 'one', { reviewer_ids: ids });
      const path = `${at(project)}/merge_requests/${String(request.iid)}/reviewers`;
      const { body } = await v4(owner).get(path).expect(200);
      const created_at = expect.stringMatching(/^\d{4}-/) as string;
      const reviewer = (person: Person) => ({
        user: basicUser(person, trellis.url),
        state: 'unreviewed',
        created_at,
      });
      expect(body).toEqual([reviewer(member), reviewer(owner)]);
      await v4(owner)
        .put(`${at(project)}/merge_requests/${String(request.iid)}`, { reviewer_ids: [] })
        .expect(200);
      expect((await anonymous().get(path).expect(200)).body).toEqual([]);
    });
  });

  it('streams the changes of a merge request as a text', async () => {
    const { project } = await projects.make({ visibilityLevel: 20 });
    await commit(project, 'one', 'master');
    const { iid } = await open(project, 'one');
    const path = `${at(project)}/merge_requests/${String(iid)}/raw_diffs`;
    for (const client of [v4(owner), anonymous()]) {
      const { text, headers } = await client.get(path).expect(200);
      expect(headers['content-type']).toBe('text/plain; charset=utf-8');
      expect(text).toMatch(/^diff --git a\/one-8 b\/one-8\nnew file mode 100644\n/);
      expect(text).toContain('\n+one\n');
    }
    await v4(owner)
      .get(`${at(project)}/merge_requests/99/raw_diffs`)
      .expect(404);
    await v4(owner).put(at(project), { visibility: 'private' }).expect(200);
    await v4(stranger).get(path).expect(404);
    await trellis.factories.addToProject(project, stranger, 10);
    await v4(stranger).get(path).expect(403);
  });

  it('answers that commits have no verified signature', async () => {
    const { project, head } = await projects.make();
    const path = `${at(project)}/repository/commits`;
    const known = await v4(owner).get(`${path}/${head}/signature`).expect(404);
    expect(known.body).toEqual({ message: '404 Signature Not Found' });
    const unknown = await v4(owner).get(`${path}/absent/signature`).expect(404);
    expect(unknown.body).toEqual({ message: '404 Commit Not Found' });
    await v4(stranger).get(`${path}/${head}/signature`).expect(404);
  });
});
