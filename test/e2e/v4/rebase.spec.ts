import { Repository } from '../../../src/git/index.js';
import { RebasesService } from '../../../src/modules/merge-requests/rebases/rebases.service.js';
import { untilJobsRan } from '../../support/due-jobs.js';
import type { Person } from '../../support/factories.js';
import { Forks } from '../../support/forks.js';
import { QueueingHook } from '../../support/hooks.js';
import { MergePlace, Merging, type RequestBody } from '../../support/merging.js';
import { memberOf } from '../../support/pushed-refs.js';
import { ServiceProcess } from '../../support/service-process.js';
import { killWhenItWritesTo, whileLocked } from '../../support/table-lock.js';
import { Trellis } from '../../support/trellis.js';

jest.setTimeout(240_000);

interface RebasedRequest {
  state: string;
  sha: string;
  updated_at: string;
  merge_error: string | null;
  rebase_in_progress?: boolean;
  detailed_merge_status: string;
}

interface RebaseJob {
  id: string;
  payload: { mergeRequestId: number; userId: number };
}

const at = ({ project_id, iid }: RequestBody): string =>
  `/projects/${String(project_id)}/merge_requests/${String(iid)}`;

const ask = (trellis: Trellis, by: Person, request: RequestBody, body: object = {}) =>
  trellis.as(by).v4.put(`${at(request)}/rebase`, body);

const show = async (trellis: Trellis, by: Person, request: RequestBody) => {
  const path = `${at(request)}?include_rebase_in_progress=true`;
  return (await trellis.as(by).v4.get(path).expect(200)).body as RebasedRequest;
};

const headOf = (place: MergePlace, { source_branch: branch }: RequestBody) =>
  place.refs.target(`refs/heads/${branch}`);

/** Commits on the source branch, the oldest first. */
const logOf = async (place: MergePlace, { source_branch: branch }: RequestBody, format: string) =>
  (await place.refs.git('log', '--reverse', `--format=${format}`, `master..${branch}`)).split('\n');

describe('rebasing a merge request', () => {
  let trellis: Trellis;
  let merging: Merging;
  let place: MergePlace;
  let developer: Person;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    merging = await Merging.begin(trellis);
    place = await merging.place();
    developer = await memberOf(trellis, place.project, 30);
    const settings = { merge_method: 'ff' };
    await trellis.as(place.owner).v4.put(place.path(), settings).expect(200);
  });
  afterAll(async () => {
    await merging.end();
    await trellis.restore();
  });

  const rebase = (request: RequestBody, by = place.owner) => ask(trellis, by, request);
  const read = (request: RequestBody) => show(trellis, place.owner, request);
  const jobsOf = ({ id }: RequestBody): Promise<RebaseJob[]> =>
    trellis.rows<RebaseJob>(
      `SELECT id, payload FROM outbox
        WHERE name = 'rebase-branch' AND failed_at IS NULL AND payload->>'mergeRequestId' = $1`,
      [String(id)],
    );

  /** Does what a worker does with the job of a request. */
  const work = async (request: RequestBody, attempt = 1): Promise<void> => {
    const [job] = await jobsOf(request);
    if (job === undefined) throw new Error('There is no rebase to be made');
    const context = { jobId: job.id, attempt, signal: new AbortController().signal };
    await trellis.app.get(RebasesService).handle(job.payload, context);
    await trellis.rows('DELETE FROM outbox WHERE id = $1', [job.id]);
  };

  /** A request of two commits by the developer, and a commit that the target branch has got since. */
  const behind = async (proposal: object = {}): Promise<RequestBody> => {
    const request = await place.propose({ by: developer, ...proposal });
    const sha = await place.commit(request.source_branch, { by: developer, message: 'More' });
    await place.commit('master', { message: 'Meanwhile' });
    return { ...request, sha };
  };

  /** Has the rebase of a request fail, and checks that nothing else has happened. */
  const expectFailure = async (request: RequestBody, problem: string): Promise<void> => {
    const before = [await headOf(place, request), (await place.refs.events()).length];
    await work(request);
    expect(await read(request)).toMatchObject({
      rebase_in_progress: false,
      merge_error: `Rebase failed: ${problem}`,
    });
    expect([await headOf(place, request), (await place.refs.events()).length]).toEqual(before);
  };

  const CONFLICT = 'Rebase locally, resolve all conflicts, then push the branch.';
  const FORMAT = '%an|%ae|%ad|%s';

  it('applies the commits to the head of the target branch, as a push by the caller', async () => {
    const request = await behind();
    const hook = await QueueingHook.ofProject(trellis, place.owner, place.project, {
      push_events: true,
    });
    const before = await logOf(place, request, FORMAT);
    expect(await read(request)).toMatchObject({
      detailed_merge_status: 'need_rebase',
      rebase_in_progress: false,
      merge_error: null,
    });
    const answer = await ask(trellis, place.owner, request, { skip_ci: true }).expect(202);
    expect(answer.body).toEqual({ rebase_in_progress: true });
    expect(await read(request)).toMatchObject({ sha: request.sha, rebase_in_progress: true });
    await work(request);

    const head = await headOf(place, request);
    expect(head).not.toBe(request.sha);
    expect(await read(request)).toMatchObject({
      state: 'opened',
      sha: head,
      rebase_in_progress: false,
      merge_error: null,
      detailed_merge_status: 'mergeable',
    });
    expect(await logOf(place, request, FORMAT)).toEqual(before);
    expect(before).toHaveLength(2);
    const { name, email } = place.owner.user;
    const committers = await logOf(place, request, '%cn|%ce');
    expect(committers).toEqual([`${name}|${email}`, `${name}|${email}`]);
    expect(await place.refs.git('merge-base', 'master', request.source_branch)).toBe(
      await place.master(),
    );
    expect(await place.refs.lastEvent()).toMatchObject({
      ref: `refs/heads/${request.source_branch}`,
      before: request.sha,
      after: head,
      author: place.owner.user.id,
    });
    expect(await hook.queuedPayload()).toMatchObject({
      ref: `refs/heads/${request.source_branch}`,
      before: request.sha,
      after: head,
      user_id: place.owner.user.id,
    });
    const versions = await trellis
      .as(place.owner)
      .v4.get(`${at(request)}/versions`)
      .expect(200);
    expect((versions.body as object[])[0]).toMatchObject({ head_commit_sha: head });
    await trellis
      .as(place.owner)
      .v4.put(`${at(request)}/merge`)
      .expect(200);
    expect(await place.master()).toBe(head);
    expect(await place.refs.git('fsck', '--strict', '--no-dangling')).toBe('');
  });

  it('leaves a branch that is based on the target branch as it is', async () => {
    const request = await place.propose();
    await rebase(request).expect(202, { rebase_in_progress: true });
    const events = await place.refs.events();
    await work(request);
    expect(await read(request)).toMatchObject({
      sha: request.sha,
      rebase_in_progress: false,
      merge_error: null,
    });
    expect(await place.refs.events()).toEqual(events);
  });

  it('says that commits conflict, until a rebase succeeds', async () => {
    const request = await behind({ file: 'file.txt', content: 'theirs\n' });
    await place.commit('master', { file: 'file.txt', content: 'ours\n' });
    await rebase(request).expect(202);
    await expectFailure(request, CONFLICT);
    expect((await place.read(request)).state).toBe('opened');

    const clone = await merging.checkout(place.project, developer);
    await clone.git('fetch', clone.remote, `master:base`, `${request.source_branch}:topic`);
    await clone.git('reset', '--hard', 'base');
    await clone.git('checkout', 'topic');
    await clone.git('rebase', '-X', 'theirs', 'base');
    await clone.git('push', '--force', clone.remote, `topic:${request.source_branch}`);
    await rebase(request).expect(202);
    expect(await read(request)).toMatchObject({ rebase_in_progress: true, merge_error: null });
    await work(request);
    expect(await read(request)).toMatchObject({ rebase_in_progress: false, merge_error: null });
  });

  describe('is refused', () => {
    it('to callers without a right to push', async () => {
      const request = await behind();
      const reporter = await memberOf(trellis, place.project, 20);
      const stranger = await trellis.factories.user();
      await rebase(request, reporter).expect(403, {
        message: '403 Forbidden - Cannot push to source branch',
      });
      await rebase(request, stranger).expect(404);
      await trellis.anonymous.v4.put(`${at(request)}/rebase`).expect(401);
      await rebase({ ...request, iid: 4_000_000 }).expect(404);
      await ask(trellis, place.owner, request, { skip_ci: 'perhaps' }).expect(400);
      expect(await jobsOf(request)).toEqual([]);
    });

    it('while another rebase of the request is in progress', async () => {
      const request = await behind();
      const answers = await Promise.all([rebase(request), rebase(request, developer)]);
      expect(answers.map(({ status }) => status).sort()).toEqual([202, 409]);
      await rebase(request).expect(409, { message: '409 Conflict' });
      expect(await jobsOf(request)).toHaveLength(1);
      await work(request);
      await rebase(request).expect(202);
      await work(request);
    });

    it('for requests that are not open', async () => {
      const request = await behind();
      await place.update(request, { state_event: 'close' }).expect(200);
      await rebase(request).expect(409, { message: '409 Conflict' });
    });

    it('for branches that are protected or missing', async () => {
      const request = await behind();
      const branch = place.path(`/repository/branches/${request.source_branch}`);
      await trellis.as(place.owner).put(`${branch}/protect`).expect(200);
      await rebase(request).expect(403, {
        message: '403 Forbidden - Source branch is protected from force push',
      });
      await trellis.as(place.owner).put(`${branch}/unprotect`).expect(200);
      await trellis.as(place.owner).delete(branch).expect(200);
      await rebase(request).expect(403, {
        message: '403 Forbidden - Source branch does not exist',
      });
    });

    it('in archived projects', async () => {
      const archived = await merging.place();
      const request = await archived.propose();
      await trellis.as(place.owner).post(archived.path('/archive')).expect(200);
      await rebase(request).expect(403);
      expect(await jobsOf(request)).toEqual([]);
    });
  });

  describe('fails without any change', () => {
    it('when the source branch is removed', async () => {
      const request = await behind();
      await rebase(request).expect(202);
      const branch = place.path(`/repository/branches/${request.source_branch}`);
      await trellis.as(place.owner).delete(branch).expect(200);
      await expectFailure(request, 'Source or target branch does not exist.');
    });

    it('when the source branch moves meanwhile', async () => {
      const request = await behind();
      await rebase(request).expect(202);
      const rebaseCommits = Repository.prototype.rebase;
      const spy = jest.spyOn(Repository.prototype, 'rebase').mockImplementationOnce(async function (
        this: Repository,
        options,
      ) {
        await place.commit(request.source_branch);
        return rebaseCommits.call(this, options);
      });
      try {
        await work(request);
      } finally {
        spy.mockRestore();
      }
      expect(await read(request)).toMatchObject({
        rebase_in_progress: false,
        merge_error: 'Rebase failed: The source branch has changed meanwhile.',
      });
      const log = await logOf(place, request, '%H');
      expect(log).toContain(request.sha);
      expect(log).toHaveLength(3);
    });

    it('when the right to push is gone, or the branch has become a protected one', async () => {
      const former = await memberOf(trellis, place.project, 30);
      const request = await behind();
      await rebase(request, former).expect(202);
      const membership = place.path(`/members/${String(former.user.id)}`);
      await trellis.as(place.owner).delete(membership).expect(200);
      await expectFailure(request, 'Cannot push to source branch.');
      await rebase(request).expect(202);
      const branch = place.path(`/repository/branches/${request.source_branch}`);
      await trellis.as(place.owner).put(`${branch}/protect`).expect(200);
      await expectFailure(request, 'Cannot push to source branch.');
    });

    it('when the request is closed meanwhile', async () => {
      const request = await behind();
      await rebase(request).expect(202);
      await place.update(request, { state_event: 'close' }).expect(200);
      await expectFailure(request, 'The merge request is not open.');
    });

    it('when no attempt succeeds, and says so after the last one', async () => {
      const damaged = await merging.place();
      const request = await damaged.propose();
      const sha = await damaged.commit(request.source_branch);
      await damaged.commit('master');
      await rebase(request).expect(202);
      // Only the commit between is made of it.
      await damaged.refs.damage(await damaged.refs.git('rev-parse', `${request.sha}^{tree}`));
      await expect(work(request)).rejects.toThrow();
      expect(await read(request)).toMatchObject({ rebase_in_progress: true, merge_error: null });
      await work(request, 3);
      expect(await read(request)).toMatchObject({
        rebase_in_progress: false,
        merge_error: 'Rebase failed: Please try again.',
      });
      expect(await headOf(damaged, request)).toBe(sha);
    });

    it('when not even its failure could be recorded', async () => {
      const other = await merging.place();
      const request = await other.propose();
      await rebase(request).expect(202);
      await trellis.rows('UPDATE outbox SET failed_at = now() WHERE id = $1', [
        (await jobsOf(request))[0]?.id,
      ]);
      expect(await read(request)).toMatchObject({
        rebase_in_progress: false,
        merge_error: 'Rebase failed: Please try again.',
      });
      await rebase(request).expect(202);
      await work(request);
      expect(await read(request)).toMatchObject({ rebase_in_progress: false, merge_error: null });
    });
  });

  it('follows a change of the target branch', async () => {
    const request = await behind();
    await rebase(request).expect(202);
    await place.branch('stable');
    const stable = await place.commit('stable');
    await place.update(request, { target_branch: 'stable' }).expect(200);
    await work(request);
    expect(await place.refs.git('merge-base', 'stable', request.source_branch)).toBe(stable);
  });

  it('rebases a branch of a fork, for those who may push there', async () => {
    const origin = await merging.place();
    const author = await memberOf(trellis, origin.project, 30);
    const forks = new Forks(trellis);
    const fork = await forks.make(author, origin.project);
    await forks.copy(fork, origin.project);
    const clone = await merging.checkout(fork, author);
    const forked = new MergePlace(trellis, author, fork, clone, origin.head);
    const request = await forked.propose({
      by: author,
      fields: { target_project_id: origin.project.id },
    });
    const target = await origin.commit('master', { message: 'Meanwhile' });
    await rebase(request).expect(403, { message: '403 Forbidden - Cannot push to source branch' });
    await rebase(request, author).expect(202);
    await work(request);
    const head = await headOf(forked, request);
    expect(head).not.toBe(request.sha);
    expect(await forked.refs.git('rev-parse', `${request.source_branch}^`)).toBe(target);
    expect(await show(trellis, author, request)).toMatchObject({
      sha: head,
      rebase_in_progress: false,
      merge_error: null,
    });
    expect(await forked.refs.lastEvent()).toMatchObject({ after: head, author: author.user.id });
    expect(await forked.refs.git('fsck', '--strict', '--no-dangling')).toBe('');
  });

  it('is done once if the job runs again', async () => {
    const request = await behind();
    await rebase(request).expect(202);
    const [job] = await jobsOf(request);
    await work(request);
    const [head, events] = [await headOf(place, request), await place.refs.events()];
    const context = { jobId: String(job?.id), attempt: 1, signal: new AbortController().signal };
    const payload = { mergeRequestId: request.id, userId: place.owner.user.id };
    await trellis.app.get(RebasesService).handle(payload, context);
    expect(await headOf(place, request)).toBe(head);
    expect(await place.refs.events()).toEqual(events);
  });
});

describe('a process that is killed while it rebases', () => {
  let trellis: Trellis;
  let merging: Merging;

  beforeAll(async () => {
    trellis = await Trellis.start({ because: 'end of a process' });
    merging = await Merging.begin(trellis);
  });
  afterAll(async () => {
    await merging.end();
    await trellis.stop();
  });

  it.each(['push_intents', 'events'])(
    'before it writes to %s leaves it to another',
    async (table) => {
      const place = await merging.place();
      const request = await place.propose();
      await place.commit('master');
      await ask(trellis, place.owner, request).expect(202);
      const worker = ServiceProcess.start('worker', { ...trellis.sharedEnvironment, PORT: '0' });
      await whileLocked(trellis, table, () => killWhenItWritesTo(trellis, table, worker));
      const hasMoved = table === 'events';
      expect((await headOf(place, request)) !== request.sha).toBe(hasMoved);
      const amid = await show(trellis, place.owner, request);
      expect(amid).toMatchObject({ sha: request.sha, rebase_in_progress: true, merge_error: null });

      const [job] = await trellis.rows<RebaseJob>(
        'SELECT id, payload FROM outbox WHERE name = $1',
        ['rebase-branch'],
      );
      const context = { jobId: String(job?.id), attempt: 2, signal: new AbortController().signal };
      const payload = { mergeRequestId: request.id, userId: place.owner.user.id };
      await trellis.app.get(RebasesService).handle(payload, context);
      await trellis.rows('DELETE FROM outbox WHERE id = $1', [job?.id]);
      const head = await headOf(place, request);
      expect(await show(trellis, place.owner, request)).toMatchObject({
        sha: head,
        rebase_in_progress: false,
        merge_error: null,
      });
      expect(head).not.toBe(request.sha);
      const events = await place.refs.events();
      expect(events.filter(({ before }) => before === request.sha)).toMatchObject([
        { after: head },
      ]);
      expect(await place.refs.intents()).toEqual([]);
      expect(await place.refs.git('fsck', '--strict', '--no-dangling')).toBe('');
    },
  );
});

describe('a service that runs jobs', () => {
  let trellis: Trellis;
  let merging: Merging;

  beforeAll(async () => {
    trellis = await Trellis.shared({ runsJobs: true });
    merging = await Merging.begin(trellis);
  });
  afterAll(async () => {
    await merging.end();
    await trellis.restore();
  });

  it('rebases in the background', async () => {
    const place = await merging.place();
    const request = await place.propose();
    await place.commit('master');
    await ask(trellis, place.owner, request).expect(202, { rebase_in_progress: true });
    const ended = await untilJobsRan(trellis, async () => {
      const shown = await show(trellis, place.owner, request);
      return shown.rebase_in_progress === false && shown;
    });
    expect(ended).toMatchObject({ sha: await headOf(place, request), merge_error: null });
    expect(ended.sha).not.toBe(request.sha);
  });
});
