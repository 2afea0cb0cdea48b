import { type Person, unique } from '../../support/factories.js';
import { type MergePlace, Merging, type RequestBody } from '../../support/merging.js';
import { pathOf } from '../../support/merge-requests.js';
import { memberOf } from '../../support/pushed-refs.js';
import { Trellis } from '../../support/trellis.js';

jest.setTimeout(240_000);

const METHODS = ['merge', 'rebase_merge', 'ff'] as const;
const OPTIONS = ['never', 'always', 'default_on', 'default_off'] as const;

interface V4Request {
  state: string;
  sha: string;
  merge_commit_sha: string | null;
  squash_commit_sha: string | null;
  squash: boolean;
  squash_on_merge: boolean;
  merge_status: string;
  detailed_merge_status: string;
}

describe('merge methods and squash options', () => {
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

  const settle = async (place: MergePlace, settings: object): Promise<void> => {
    await trellis.as(place.owner).v4.put(place.path(), settings).expect(200);
  };
  const at = ({ project_id, iid }: RequestBody): string =>
    `/projects/${String(project_id)}/merge_requests/${String(iid)}`;
  const show = async (place: MergePlace, request: RequestBody): Promise<V4Request> => {
    const { body } = await trellis.as(place.owner).v4.get(at(request)).expect(200);
    return body as V4Request;
  };
  const acceptV4 = (place: MergePlace, request: RequestBody, body: object = {}, by = place.owner) =>
    trellis.as(by).v4.put(`${at(request)}/merge`, body);
  /** Two commits on a branch, by a developer who opens the request. */
  const proposeTwo = async (
    place: MergePlace,
    by = place.owner,
    fields: object = {},
  ): Promise<RequestBody> => {
    const request = await place.propose({ by, fields });
    const sha = await place.commit(request.source_branch, { by, message: 'More' });
    return { ...request, sha };
  };
  /** Jobs that check requests meanwhile have temporary folders in the repository. */
  const expectSound = async (place: MergePlace): Promise<void> => {
    expect(await place.refs.git('fsck', '--strict', '--no-dangling')).toBe('');
  };
  const lines = async (place: MergePlace, ...args: string[]): Promise<string[]> =>
    (await place.refs.git(...args)).split('\n');

  it('are settings of the project that version 4 shows and changes', async () => {
    const place = await merging.place();
    const owner = trellis.as(place.owner).v4;
    const read = await owner.get(place.path()).expect(200);
    expect(read.body).toMatchObject({ merge_method: 'merge', squash_option: 'default_off' });
    for (const merge_method of METHODS) {
      for (const squash_option of OPTIONS) {
        const settings = { merge_method, squash_option };
        const { body } = await owner.put(place.path(), settings).expect(200);
        expect(body).toMatchObject(settings);
      }
    }
    await owner
      .put(place.path(), { merge_method: 'octopus' })
      .expect(400, { error: 'merge_method does not have a valid value' });
    await owner
      .put(place.path(), { squash_option: 'perhaps' })
      .expect(400, { error: 'squash_option does not have a valid value' });
    const made = await owner
      .post('/projects', {
        name: `${place.project.path} again`,
        merge_method: 'ff',
        squash_option: 'always',
      })
      .expect(201);
    expect(made.body).toMatchObject({ merge_method: 'ff', squash_option: 'always' });
    const developer = await memberOf(trellis, place.project, 30);
    await trellis.as(developer).v4.put(place.path(), { merge_method: 'merge' }).expect(403);
  });

  describe.each(METHODS)('with the method %s', (merge_method) => {
    let place: MergePlace;
    let developer: Person;

    beforeAll(async () => {
      place = await merging.place();
      developer = await memberOf(trellis, place.project, 30);
    });

    const combinations = OPTIONS.flatMap((option) => [
      [option, 'v3'] as const,
      [option, 'v4'] as const,
    ]);

    it.each(combinations)('and squash option %s, %s makes the commits', async (option, version) => {
      await settle(place, { merge_method, squash_option: option });
      const before = await place.master();
      const title = `Add a map for ${option} by ${version}`;
      const request = await proposeTwo(place, developer, { title });
      const squashes = option === 'always' || option === 'default_on';
      expect(await show(place, request)).toMatchObject({
        squash: squashes,
        squash_on_merge: squashes,
        detailed_merge_status: 'mergeable',
        merge_commit_sha: null,
        squash_commit_sha: null,
      });
      if (version === 'v3') await place.accept(request).expect(200);
      else await acceptV4(place, request).expect(200);

      const merged = await show(place, request);
      const master = await place.master();
      expect(merged).toMatchObject({ state: 'merged', sha: request.sha });
      expect(await place.read(request)).toMatchObject({
        state: 'merged',
        merge_commit_sha: merged.merge_commit_sha,
      });
      expect(merged.merge_commit_sha).toBe(merge_method === 'ff' ? null : master);
      expect(merged.squash_commit_sha === null).toBe(!squashes);
      const tip = merged.squash_commit_sha ?? request.sha;
      const { name, email } = place.owner.user;
      const merger = `${name}|${email}`;
      const format = '--format=%P|%an|%ae|%cn|%ce|%s';
      const [atHead, atTip] = [
        await place.refs.git('log', '-1', format, 'master'),
        await place.refs.git('log', '-1', format, tip),
      ];
      if (merge_method === 'ff') expect(master).toBe(tip);
      else {
        const subject = `Merge branch '${request.source_branch}' into 'master'`;
        expect(atHead).toBe(`${before ?? ''} ${tip}|${merger}|${merger}|${subject}`);
      }
      if (squashes) {
        const author = `${developer.user.name}|${developer.user.email}`;
        expect(atTip).toBe(`${before ?? ''}|${author}|${merger}|${title}`);
      }
      const revisions = ['master', tip, request.sha].map((commit) => `${commit}^{tree}`);
      expect(new Set(await lines(place, 'rev-parse', ...revisions)).size).toBe(1);
      expect(await place.notes(request)).toContain('merged');
      expect((await place.events(request)).at(-1)).toEqual({
        action: 'accepted',
        author_id: place.owner.user.id,
      });
      const { v4 } = trellis.as(place.owner);
      const diffs = await v4.get(`${at(request)}/diffs`).expect(200);
      expect(diffs.body).toHaveLength(2);
      const commits = await v4.get(`${at(request)}/commits`).expect(200);
      expect(commits.body).toMatchObject([{ id: request.sha }, {}]);
      expect(await place.refs.lastEvent()).toMatchObject({ before, after: master });
    });

    it('leaves a sound repository', () => expectSound(place));
  });

  it.each(['rebase_merge', 'ff'])(
    '%s refuses a source branch that is not based on the target branch',
    async (merge_method) => {
      const place = await merging.place();
      const request = await proposeTwo(place);
      expect(await show(place, request)).toMatchObject({ detailed_merge_status: 'mergeable' });
      await place.commit('master');
      const moved = await place.master();
      expect(await show(place, request)).toMatchObject({ detailed_merge_status: 'mergeable' });
      await settle(place, { merge_method });
      expect(await show(place, request)).toMatchObject({
        merge_status: 'can_be_merged',
        detailed_merge_status: 'need_rebase',
        has_conflicts: false,
      });
      const list = await trellis.as(place.owner).v4.get(place.path('/merge_requests')).expect(200);
      expect(list.body).toMatchObject([{ detailed_merge_status: 'need_rebase' }]);
      await place.accept(request).expect(405, { message: 'Branch cannot be merged' });
      await acceptV4(place, request).expect(422, { message: 'Branch cannot be merged' });
      await acceptV4(place, request, { auto_merge: true, squash: true }).expect(422);
      expect(await place.master()).toBe(moved);
      expect((await place.read(request)).state).toBe('opened');

      // The source branch takes the target branch in.
      const clone = await merging.checkout(place.project, place.owner);
      await clone.git('fetch', clone.remote, 'master:base', `${request.source_branch}:topic`);
      await clone.git('reset', '--hard', 'base');
      await clone.git('rebase', 'base', 'topic');
      await clone.git('push', '--force', clone.remote, `topic:${request.source_branch}`);
      expect(await show(place, request)).toMatchObject({ detailed_merge_status: 'mergeable' });
      await acceptV4(place, request).expect(200);
      await expectSound(place);
    },
  );

  it('shows a conflict before the need to rebase', async () => {
    const place = await merging.place();
    await settle(place, { merge_method: 'ff' });
    const request = await place.propose({ file: 'file.txt', content: 'theirs\n' });
    await place.commit('master', { file: 'file.txt', content: 'ours\n' });
    expect(await show(place, request)).toMatchObject({ detailed_merge_status: 'conflict' });
    await acceptV4(place, request).expect(422);
  });

  it('shows a request mergeable whose source branch contained the new target head before', async () => {
    const place = await merging.place();
    await settle(place, { merge_method: 'ff' });
    const [first, second] = [await place.propose(), await place.propose()];
    const clone = await merging.checkout(place.project, place.owner);
    const branches = [first, second].map(
      (request, nth) => `${request.source_branch}:topic-${String(nth)}`,
    );
    await clone.git('fetch', clone.remote, ...branches);
    await clone.git('reset', '--hard', 'topic-0');
    await clone.git('rebase', 'topic-0', 'topic-1');
    await clone.git('push', '--force', clone.remote, `topic-1:${second.source_branch}`);
    await place.accept(first).expect(200);
    expect(await show(place, second)).toMatchObject({ detailed_merge_status: 'mergeable' });
    await place.accept(second).expect(200);
    expect(await lines(place, 'rev-list', `${place.head}..master`)).toHaveLength(2);
  });

  it('squashes by the wish of the request, and that of the user who merges', async () => {
    const place = await merging.place();
    const asked = await proposeTwo(place, place.owner, { title: 'Asked' });
    const wished = await proposeTwo(place);
    await trellis.as(place.owner).v4.put(at(asked), { squash: true }).expect(200);
    expect(await show(place, asked)).toMatchObject({ squash: true, squash_on_merge: true });
    // Version 3 has no such parameter; the row counts.
    await place.accept(asked).expect(200);
    const { squash_commit_sha: first } = await show(place, asked);
    expect(await place.refs.git('log', '-1', '--format=%B', first ?? '')).toBe('Asked');

    const message = 'One commit\n\nof two';
    const answer = await acceptV4(place, wished, {
      squash: true,
      squash_commit_message: message,
      merge_commit_message: 'Merged',
    }).expect(200);
    const { squash_commit_sha: second, squash } = answer.body as V4Request;
    expect(squash).toBe(true);
    expect(await place.refs.git('log', '-1', '--format=%B', second ?? '')).toBe(message);
    expect(await place.refs.git('log', '-1', '--format=%B', 'master')).toBe('Merged');
    // The parent is the merge base, not the head of the target branch.
    expect(await place.refs.git('rev-parse', `${second ?? ''}^`)).toBe(place.head);

    const kept = await proposeTwo(place);
    await trellis.as(place.owner).v4.put(at(kept), { squash: true }).expect(200);
    const plain = await acceptV4(place, kept, { squash: false }).expect(200);
    expect(plain.body).toMatchObject({ squash: false, squash_commit_sha: null });
  });

  describe('the author of a squash commit', () => {
    let place: MergePlace;
    let author: Person;

    beforeAll(async () => {
      place = await merging.place();
      author = await memberOf(trellis, place.project, 30);
    });

    /** Opens a request for commits with these addresses, the oldest first, and one without any that matters. */
    const push = async (by: Person, ...addresses: string[]): Promise<RequestBody> => {
      const branch = unique();
      const clone = await merging.checkout(place.project, by);
      await clone.git('fetch', clone.remote, 'master');
      await clone.git('checkout', '-B', 'topic', 'FETCH_HEAD');
      for (const address of addresses) {
        const identity = `--author=Somebody <${address}>`;
        await clone.git('commit', '--quiet', '--allow-empty', '--message', 'Work', identity);
      }
      await clone.commit('More', branch);
      await clone.git('push', clone.remote, `HEAD:refs/heads/${branch}`);
      return place.open(branch, { by });
    };
    const emailOf = async (request: RequestBody, by = place.owner): Promise<string> => {
      const { body } = await acceptV4(place, request, { squash: true }, by).expect(200);
      const { squash_commit_sha: squashed } = body as V4Request;
      return place.refs.git('log', '-1', '--format=%ae', squashed ?? '');
    };

    it('has an address without a mailbox when no commit of the request shows theirs', async () => {
      const { username } = author.user;
      const email = `${username}@users.noreply.${new URL(trellis.url).hostname}`;
      expect(await emailOf(await push(author, 'other@example.com'))).toBe(email);
    });

    it('has the address that a commit of the request shows', async () => {
      const { email } = author.user;
      const request = await push(author, email.toUpperCase(), 'other@example.com');
      expect(await emailOf(request)).toBe(email);
    });

    it('has their address when they merge', async () => {
      const merger = await memberOf(trellis, place.project, 40);
      expect(await emailOf(await push(merger), merger)).toBe(merger.user.email);
    });
  });

  it('refuses a squash where the project never squashes, and squashes where it always does', async () => {
    const place = await merging.place();
    await settle(place, { squash_option: 'never' });
    const request = await proposeTwo(place);
    await trellis.as(place.owner).v4.put(at(request), { squash: true }).expect(200);
    expect(await show(place, request)).toMatchObject({ squash: true, squash_on_merge: false });
    await acceptV4(place, request, { squash: true }).expect(405, {
      message: 'Squashing is not allowed in this project',
    });
    const merged = await acceptV4(place, request).expect(200);
    expect(merged.body).toMatchObject({ state: 'merged', squash_commit_sha: null });

    await settle(place, { squash_option: 'always' });
    const other = await proposeTwo(place);
    await trellis.as(place.owner).v4.put(at(other), { squash: false }).expect(200);
    expect(await show(place, other)).toMatchObject({ squash: false, squash_on_merge: true });
    const squashed = await acceptV4(place, other, { squash: false }).expect(200);
    expect(squashed.body).toMatchObject({ squash_commit_sha: expect.any(String) as string });
  });

  it('merges by method and squash option when the build succeeds', async () => {
    const place = await merging.place();
    await settle(place, { merge_method: 'ff' });
    const request = await proposeTwo(place);
    await place.post(request, 'pending').expect(200);
    const waiting = await acceptV4(place, request, {
      auto_merge: true,
      squash: true,
      squash_commit_message: 'Later',
      should_remove_source_branch: true,
    }).expect(200);
    expect(waiting.body).toMatchObject({ state: 'opened', squash: true });
    await place.post(request, 'success').expect(200);
    await merging.merged(place, request);
    await merging.settled();
    const merged = await show(place, request);
    expect(merged).toMatchObject({ state: 'merged', merge_commit_sha: null });
    expect(merged.squash_commit_sha).toBe(await place.master());
    expect(await place.refs.git('log', '-1', '--format=%s', 'master')).toBe('Later');
    expect(await place.refs.target(`refs/heads/${request.source_branch}`)).toBeNull();
  });

  it.each([true, false])(
    'keeps the choice squash=%s of the merger while the request waits for its build',
    async (squash) => {
      const place = await merging.place();
      const author = await memberOf(trellis, place.project, 30);
      const master = await memberOf(trellis, place.project, 40);
      const request = await proposeTwo(place, author);
      const update = async (by: Person, body: object) => {
        const answer = await trellis.as(by).v4.put(at(request), body).expect(200);
        return answer.body as V4Request;
      };
      expect(await update(author, { squash: !squash })).toMatchObject({ squash: !squash });
      await place.post(request, 'pending').expect(200);
      await acceptV4(place, request, { auto_merge: true, squash }).expect(200);
      for (const by of [author, master]) {
        expect(
          await update(by, { squash: !squash, title: `By ${by.user.username}` }),
        ).toMatchObject({
          squash,
          title: `By ${by.user.username}`,
        });
      }
      expect(await update(place.owner, { squash: !squash })).toMatchObject({ squash: !squash });
      expect(await update(place.owner, { squash })).toMatchObject({ squash });
      await place.post(request, 'success').expect(200);
      await merging.merged(place, request);
      const { squash_commit_sha: squashed } = await show(place, request);
      expect(squashed !== null).toBe(squash);
    },
  );

  it('removes the source branch and closes issues after a fast-forward', async () => {
    const place = await merging.place();
    await settle(place, { merge_method: 'ff' });
    const issue = await trellis
      .as(place.owner)
      .post(place.path('/issues'), { title: 'A bug' })
      .expect(200);
    const { id, iid } = issue.body as { id: number; iid: number };
    const request = await place.propose({ fields: { description: `Closes #${String(iid)}` } });
    await trellis
      .as(place.owner)
      .put(`${pathOf(request)}/merge`, { should_remove_source_branch: true })
      .expect(200);
    expect(await place.refs.target(`refs/heads/${request.source_branch}`)).toBeNull();
    const read = await trellis
      .as(place.owner)
      .get(place.path(`/issues/${String(id)}`))
      .expect(200);
    expect(read.body).toMatchObject({ state: 'closed' });
  });

  it('merges one of several requests at once, and refuses the others until they are rebased', async () => {
    const place = await merging.place();
    await settle(place, { merge_method: 'ff' });
    const requests: RequestBody[] = [];
    for (let made = 0; made < 4; made += 1) requests.push(await place.propose());
    const answers = await Promise.all(
      requests.map((request, index) =>
        index % 2 === 0 ? place.accept(request) : acceptV4(place, request, { squash: true }),
      ),
    );
    const merged = requests.filter((_, index) => answers[index]?.status === 200);
    expect(merged).toHaveLength(1);
    for (const { status } of answers) expect([200, 405, 422]).toContain(status);
    expect(await lines(place, 'rev-list', `${place.head}..master`)).toHaveLength(1);
    await expectSound(place);
  });
});
