import type { MadeProject, Person } from '../../support/factories.js';
import {
  type BranchedCast,
  makeBranchedCast,
  mergeRequestsOf,
} from '../../support/merge-requests.js';
import { makeMilestone, TIMESTAMP } from '../../support/issues.js';
import { addMergeRequests } from '../../support/merge-request-rows.js';
import { Trellis } from '../../support/trellis.js';
import { basicUser, NO_TIME_STATS, type NumberedBody } from '../../support/v4-bodies.js';

jest.setTimeout(180_000);

describe('merge requests of version 4', () => {
  let trellis: Trellis;
  let cast: BranchedCast;
  let project: MadeProject;
  let owner: Person;
  let developer: Person;
  let guest: Person;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    cast = await makeBranchedCast(trellis);
    project = cast.projects[0];
    owner = cast.people.owner as Person;
    developer = cast.people.developer as Person;
    guest = cast.people.guest as Person;
  });

  const v4 = (person: Person) => trellis.as(person).v4;
  const open = async (body: object = {}, person = developer): Promise<NumberedBody> => {
    const input = { source_branch: cast.fresh(), target_branch: 'master', title: 'A topic' };
    const answer = await v4(person)
      .post(mergeRequestsOf(project), { ...input, ...body })
      .expect(201);
    return answer.body as NumberedBody;
  };
  const at = ({ iid }: { iid: number }) => `${mergeRequestsOf(project)}/${String(iid)}`;
  const listed = async (person: Person, path: string): Promise<number[]> => {
    const { body } = await v4(person).get(path).expect(200);
    return (body as NumberedBody[]).map(({ id }) => id);
  };

  it('has the fields of the entity, and the row that version 3 shows', async () => {
    const branch = cast.fresh();
    const request = await open({
      source_branch: branch,
      title: 'Draft: Whole',
      description: 'Text',
      labels: 'a',
      assignee_ids: [owner.user.id],
      remove_source_branch: true,
    });
    const { body } = await v4(developer).get(at(request)).expect(200);
    const { web_url } = body as { web_url: string };
    const url = new URL(web_url).origin;
    const path = `${owner.user.username}/${project.path}`;
    expect(body).toEqual({
      id: request.id,
      iid: request.iid,
      project_id: project.id,
      title: 'Draft: Whole',
      description: 'Text',
      state: 'opened',
      created_at: TIMESTAMP,
      updated_at: TIMESTAMP,
      merged_by: null,
      merge_user: null,
      merged_at: null,
      closed_by: null,
      closed_at: null,
      target_branch: 'master',
      source_branch: branch,
      user_notes_count: 0,
      upvotes: 0,
      downvotes: 0,
      author: basicUser(developer, url),
      assignees: [basicUser(owner, url)],
      assignee: basicUser(owner, url),
      reviewers: [],
      source_project_id: project.id,
      target_project_id: project.id,
      labels: ['a'],
      draft: true,
      imported: false,
      imported_from: 'none',
      work_in_progress: true,
      milestone: null,
      merge_when_pipeline_succeeds: false,
      merge_status: 'can_be_merged',
      detailed_merge_status: 'draft_status',
      sha: cast.topic,
      merge_commit_sha: null,
      squash_commit_sha: null,
      discussion_locked: null,
      should_remove_source_branch: false,
      force_remove_source_branch: true,
      prepared_at: TIMESTAMP,
      reference: `!${String(request.iid)}`,
      references: {
        short: `!${String(request.iid)}`,
        relative: `!${String(request.iid)}`,
        full: `${path}!${String(request.iid)}`,
      },
      web_url: `${url}/${path}/-/merge_requests/${String(request.iid)}`,
      time_stats: NO_TIME_STATS,
      squash: false,
      squash_on_merge: false,
      task_completion_status: { count: 0, completed_count: 0 },
      has_conflicts: false,
      blocking_discussions_resolved: true,
      subscribed: true,
      changes_count: '1',
      latest_build_started_at: null,
      latest_build_finished_at: null,
      first_deployed_to_production_at: null,
      pipeline: null,
      head_pipeline: null,
      diff_refs: { base_sha: cast.head, head_sha: cast.topic, start_sha: cast.head },
      merge_error: null,
      user: { can_merge: false },
    });
    const asOwner = await v4(owner).get(`${at(request)}?include_rebase_in_progress=true`);
    expect(asOwner.body).toMatchObject({ user: { can_merge: true }, rebase_in_progress: false });
    const old = await trellis
      .as(developer)
      .get(`${mergeRequestsOf(project)}/${String(request.id)}`)
      .expect(200);
    expect(old.body).toMatchObject({ work_in_progress: true, assignee: { id: owner.user.id } });
  });

  it('updates, closes and reopens a request', async () => {
    const request = await open();
    const updated = await v4(developer)
      .put(at(request), { title: 'Renamed', add_labels: 'b', assignee_ids: [owner.user.id] })
      .expect(200);
    expect(updated.body).toMatchObject({ title: 'Renamed', labels: ['b'], assignees: [{}] });
    const closed = await v4(owner).put(at(request), { state_event: 'close' }).expect(200);
    expect(closed.body).toMatchObject({
      state: 'closed',
      closed_at: TIMESTAMP,
      closed_by: { id: owner.user.id },
      detailed_merge_status: 'not_open',
    });
    const reopened = await v4(owner).put(at(request), { state_event: 'reopen' }).expect(200);
    expect(reopened.body).toMatchObject({ state: 'opened', closed_at: null, closed_by: null });
    const nothing = await v4(owner).put(at(request), {}).expect(400);
    expect(nothing.body).toEqual({
      error: expect.stringContaining('at least one parameter must be provided') as string,
    });
  });

  it('refuses a second request for the branches, and equal branches', async () => {
    const branch = cast.fresh();
    const request = await open({ source_branch: branch });
    const input = { source_branch: branch, target_branch: 'master', title: 'Again' };
    const again = await v4(developer).post(mergeRequestsOf(project), input).expect(409);
    expect(again.body).toEqual({
      message: [
        `Another open merge request already exists for this source branch: !${String(request.iid)}`,
      ],
    });
    const same = await v4(developer)
      .post(mergeRequestsOf(project), { ...input, target_branch: branch })
      .expect(422);
    expect(same.body).toEqual({
      message: ["You can't use same project/branch for source and target"],
    });
  });

  it('returns 403 to guests of a private project, 404 to strangers and for absent numbers', async () => {
    const request = await open();
    expect((await v4(guest).get(at(request))).status).toBe(403);
    expect((await v4(guest).get(mergeRequestsOf(project))).status).toBe(403);
    expect((await v4(cast.people.stranger as Person).get(at(request))).status).toBe(404);
    const absent = await v4(owner)
      .get(at({ iid: 2_147_483_647 }))
      .expect(404);
    expect(absent.body).toEqual({ message: '404 Not found' });
  });

  it('lists commits, changes and diffs', async () => {
    const request = await open();
    const commits = await v4(developer)
      .get(`${at(request)}/commits`)
      .expect(200);
    expect(commits.body).toEqual([
      expect.objectContaining({
        id: cast.topic,
        title: 'Second commit',
        parent_ids: [cast.head],
        web_url: expect.stringContaining(`/-/commit/${cast.topic}`) as string,
      }),
    ]);
    const change = {
      new_path: 'topic.txt',
      old_path: 'topic.txt',
      a_mode: '0',
      b_mode: '100644',
      new_file: true,
      renamed_file: false,
      deleted_file: false,
      generated_file: false,
      collapsed: false,
      too_large: false,
      diff: '@@ -0,0 +1 @@\n+Second commit 2\n',
    };
    const diffs = await v4(developer)
      .get(`${at(request)}/diffs`)
      .expect(200);
    expect(diffs.body).toEqual([change]);
    const changes = await v4(developer)
      .get(`${at(request)}/changes`)
      .expect(200);
    expect(changes.body).toMatchObject({ iid: request.iid, changes: [change], overflow: false });
  });

  it('lists the versions, and reads one with its commits and diffs', async () => {
    const request = await open();
    const { body } = await v4(developer)
      .get(`${at(request)}/versions`)
      .expect(200);
    const version = {
      id: expect.any(Number) as number,
      head_commit_sha: cast.topic,
      base_commit_sha: cast.head,
      start_commit_sha: cast.head,
      created_at: TIMESTAMP,
      merge_request_id: request.id,
      state: 'collected',
      real_size: '1',
      patch_id_sha: null,
    };
    expect(body).toEqual([version]);
    const [{ id }] = body as [{ id: number }];
    const one = await v4(developer)
      .get(`${at(request)}/versions/${id}`)
      .expect(200);
    expect(one.body).toEqual({
      ...version,
      commits: [expect.objectContaining({ id: cast.topic, parent_ids: [cast.head] })],
      diffs: [expect.objectContaining({ new_path: 'topic.txt', a_mode: '0', b_mode: '100644' })],
    });
    const shown = await trellis
      .as(developer)
      .get(`${mergeRequestsOf(project)}/${request.id}/versions`);
    expect(shown.body).toMatchObject([{ id, head_commit_sha: cast.topic }]);
  });

  it('returns 404 for versions of other and absent requests', async () => {
    const [one, other] = [await open(), await open({ source_branch: cast.fresh() })];
    const { body } = await v4(developer)
      .get(`${at(other)}/versions`)
      .expect(200);
    const [{ id }] = body as [{ id: number }];
    for (const route of [`${at(one)}/versions/${id}`, `${at({ iid: 9_999 })}/versions`]) {
      const absent = await v4(developer).get(route);
      expect([absent.status, absent.body]).toEqual([404, { message: '404 Not found' }]);
    }
  });

  describe('merging', () => {
    const statusOf = async (request: NumberedBody) => {
      const { body } = await v4(owner).get(at(request)).expect(200);
      const { detailed_merge_status: status } = body as { detailed_merge_status: string };
      return status;
    };
    const merge = (request: NumberedBody, body: object = {}, person = owner) =>
      v4(person).put(`${at(request)}/merge`, body);

    it('merges a mergeable request, and shows who merged it', async () => {
      const request = await open({ target_branch: 'other', source_branch: cast.fresh() }, owner);
      // `other` is at the same commit: there is nothing to merge.
      expect(await statusOf(request)).toBe('conflict');
      expect((await merge(request)).status).toBe(422);
      const mergeable = await open({}, owner);
      expect(await statusOf(mergeable)).toBe('mergeable');
      const wrong = await merge(mergeable, { sha: cast.head });
      expect([wrong.status, wrong.body]).toEqual([
        409,
        { message: `SHA does not match HEAD of source branch: ${cast.topic}` },
      ]);
      const merged = await merge(mergeable, { sha: cast.topic, auto_merge: true });
      expect([merged.status, merged.body]).toMatchObject([
        200,
        {
          state: 'merged',
          merged_at: TIMESTAMP,
          merged_by: { id: owner.user.id },
          merge_user: { id: owner.user.id },
          closed_by: null,
          detailed_merge_status: 'not_open',
        },
      ]);
      const again = await merge(mergeable);
      expect([again.status, again.body]).toEqual([405, { message: '405 Method Not Allowed' }]);
      expect(await listed(owner, `${mergeRequestsOf(project)}?state=merged`)).toContain(
        mergeable.id,
      );
    });

    it('refuses drafts by each marker, and checks the head last', async () => {
      for (const marker of ['Draft:', '[draft]', '(Draft)', 'WIP:', '[WIP]']) {
        const request = await open({ title: `${marker} x`, target_branch: 'topic/1' }, owner);
        expect([marker, await statusOf(request)]).toEqual([marker, 'draft_status']);
        const refused = await merge(request, { sha: cast.head });
        expect([marker, refused.status]).toEqual([marker, 405]);
        const old = await trellis
          .as(owner)
          .put(`${mergeRequestsOf(project)}/${String(request.id)}/merge`);
        expect([marker, old.status]).toEqual([marker, 405]);
      }
    });

    it('refuses users who may not merge into a protected branch', async () => {
      const request = await open();
      const refused = await merge(request, {}, developer);
      expect([refused.status, refused.body]).toEqual([401, { message: '401 Unauthorized' }]);
    });

    it('waits for a pipeline that the project requires', async () => {
      const place = cast.projects[10];
      await trellis
        .as(owner)
        .put(`/projects/${String(place.id)}`, { only_allow_merge_if_build_succeeds: true })
        .expect(200);
      const branch = cast.fresh();
      const input = { source_branch: branch, target_branch: 'master', title: 'Built' };
      const answer = await v4(owner).post(mergeRequestsOf(place), input).expect(201);
      const path = `${mergeRequestsOf(place)}/${String((answer.body as NumberedBody).iid)}`;
      const post = (state: string) =>
        trellis
          .as(owner)
          .post(`/projects/${String(place.id)}/statuses/${cast.topic}`, { state, ref: branch })
          .expect(200);
      const status = async () => {
        const { body } = await v4(owner).get(path).expect(200);
        const [shown] = (await v4(owner).get(mergeRequestsOf(place)).expect(200)).body as object[];
        const { detailed_merge_status: one } = body as { detailed_merge_status: string };
        expect(shown).toMatchObject({ detailed_merge_status: one });
        return one;
      };
      expect(await status()).toBe('mergeable');
      await post('running');
      expect(await status()).toBe('ci_still_running');
      expect((await v4(owner).put(`${path}/merge`)).status).toBe(405);
      const waiting = await v4(owner)
        .put(`${path}/merge`, { merge_when_pipeline_succeeds: true })
        .expect(200);
      expect(waiting.body).toMatchObject({
        state: 'opened',
        merge_when_pipeline_succeeds: true,
        merge_user: { id: owner.user.id },
      });
      const cancel = `${path}/cancel_merge_when_pipeline_succeeds`;
      const canceled = await v4(owner).post(cancel).expect(201);
      expect(canceled.body).toMatchObject({ merge_when_pipeline_succeeds: false });
      expect((await v4(owner).post(cancel)).status).toBe(406);
      await post('failed');
      expect(await status()).toBe('ci_must_pass');
      expect((await v4(owner).put(`${path}/merge`)).status).toBe(405);
    });
  });

  it('lists requests with the pipelines they require in the same statements, however many', async () => {
    const place = cast.projects[10];
    const at = `/projects/${String(place.id)}`;
    await trellis.as(owner).put(at, { only_allow_merge_if_build_succeeds: true }).expect(200);
    const add = async (state: string) => {
      const branch = cast.fresh();
      const input = { source_branch: branch, target_branch: 'master', title: `Counted ${state}` };
      await v4(owner).post(mergeRequestsOf(place), input).expect(201);
      const status = `${at}/statuses/${cast.topic}`;
      await trellis.as(owner).post(status, { state, ref: branch }).expect(200);
    };
    const statuses = async () => {
      const { body } = await v4(owner)
        .get(`${mergeRequestsOf(place)}?search=Counted`)
        .expect(200);
      return (body as { title: string; detailed_merge_status: string }[]).map(
        ({ title, detailed_merge_status: status }) => [title, status],
      );
    };
    await add('failed');
    await statuses();
    const few = await trellis.statements.during(statuses);
    for (const state of ['running', 'success', 'pending']) await add(state);
    expect(await statuses()).toEqual([
      ['Counted pending', 'ci_still_running'],
      ['Counted success', 'unchecked'],
      ['Counted running', 'ci_still_running'],
      ['Counted failed', 'ci_must_pass'],
    ]);
    const many = await trellis.statements.during(statuses);
    expect(many).toHaveLength(few.length);
  });

  it.each(['developer', 'master'] as const)(
    'reads one request for a %s with two statements more than version 3 at most',
    async (role) => {
      const { id, iid } = await open();
      const reader = trellis.as(cast.people[role] as Person);
      const older = () => reader.get(`${mergeRequestsOf(project)}/${String(id)}`).expect(200);
      const newer = () => reader.v4.get(`${mergeRequestsOf(project)}/${String(iid)}`).expect(200);
      expect((await newer()).body).toMatchObject({ diff_refs: { head_sha: cast.topic } });
      const least = await trellis.statements.during(older);
      const most = await trellis.statements.during(newer);
      expect(most.length).toBeLessThanOrEqual(least.length + 2);
    },
  );

  it('counts the commits that the head lacks, where it is asked to', async () => {
    const request = await open();
    expect((await v4(developer).get(at(request)).expect(200)).body).not.toHaveProperty(
      'diverged_commits_count',
    );
    const path = `${at(request)}?include_diverged_commits_count=true`;
    const count = async () =>
      ((await v4(developer).get(path).expect(200)).body as { diverged_commits_count: number })
        .diverged_commits_count;
    const before = await count();
    await v4(owner)
      .post(`/projects/${String(project.id)}/repository/commits`, {
        branch: 'master',
        commit_message: 'Ahead',
        actions: [{ action: 'create', file_path: `ahead-${String(request.iid)}`, content: 'x' }],
      })
      .expect(201);
    expect(await count()).toBe(before + 1);
  });

  it('lists the participants, and the issues that the merge closes', async () => {
    const issue = await v4(owner)
      .post(`/projects/${String(project.id)}/issues`, { title: 'To close' })
      .expect(201);
    const { iid, id } = issue.body as NumberedBody;
    const request = await open({ description: `Closes #${String(iid)}` });
    const closes = await v4(developer)
      .get(`${at(request)}/closes_issues`)
      .expect(200);
    expect(closes.body).toMatchObject([{ id, iid, project_id: project.id, state: 'opened' }]);
    const participants = await v4(developer)
      .get(`${at(request)}/participants`)
      .expect(200);
    expect(participants.body).toMatchObject([{ id: developer.user.id }]);
  });

  it('finds those of a commit with as many statements for many as for one', async () => {
    const of = `/projects/${String(project.id)}/repository`;
    const base = { branch: 'behind', ref: cast.head };
    await v4(owner).post(`${of}/branches`, base).expect(201);
    for (let one = 0; one < 5; one += 1) await open({ target_branch: base.branch });
    const count = async (size: number) => {
      const page = `${of}/commits/${cast.topic}/merge_requests?per_page=${String(size)}`;
      expect((await listed(owner, page)).length).toBe(size);
      return (await trellis.statements.during(() => listed(owner, page))).length;
    };
    expect(await count(5)).toBe(await count(1));
  });

  it('needs no approvals, and says so where it may be read', async () => {
    const request = await open({ title: 'Approved by none' });
    const { body } = await v4(developer)
      .get(`${at(request)}/approvals`)
      .expect(200);
    const none = { approvers: [], approver_groups: [] };
    expect(body).toEqual({
      ...none,
      id: request.id,
      iid: request.iid,
      project_id: project.id,
      title: 'Approved by none',
      description: null,
      state: 'opened',
      created_at: TIMESTAMP,
      updated_at: TIMESTAMP,
      merge_status: expect.stringMatching(/^can(?:not)?_be_merged$/) as string,
      approved: false,
      approvals_required: 0,
      approvals_left: 0,
      require_password_to_approve: false,
      approved_by: [],
      suggested_approvers: [],
      user_has_approved: false,
      user_can_approve: false,
      approval_rules_left: [],
      has_approval_rules: false,
      merge_request_approvers_available: false,
      multiple_approval_rules_available: false,
      invalid_approvers_rules: [],
    });
    const state = await v4(developer)
      .get(`${at(request)}/approval_state`)
      .expect(200);
    expect(state.body).toEqual({ approval_rules_overwritten: false, rules: [] });
    const ofProject = `/projects/${String(project.id)}/approvals`;
    expect((await v4(developer).get(ofProject).expect(200)).body).toEqual({
      ...none,
      approvals_before_merge: 0,
      reset_approvals_on_push: false,
      selective_code_owner_removals: false,
      disable_overriding_approvers_per_merge_request: false,
      merge_requests_author_approval: false,
      merge_requests_disable_committers_approval: false,
      require_password_to_approve: false,
      require_reauthentication_to_approve: false,
    });
    const stranger = cast.people.stranger as Person;
    for (const path of [`${at(request)}/approvals`, `${at(request)}/approval_state`, ofProject]) {
      await v4(guest).get(path).expect(403);
      await v4(stranger).get(path).expect(404);
      const isOpen = path.endsWith(`${String(request.iid)}/approvals`);
      await trellis.anonymous.v4.get(path).expect(isOpen ? 404 : 401);
    }
    for (const missing of ['approvals', 'approval_state']) {
      await v4(developer)
        .get(`${mergeRequestsOf(project)}/999999/${missing}`)
        .expect(404);
    }
  });

  it('deletes a request with 204; for owners', async () => {
    const request = await open();
    expect((await v4(developer).delete(at(request))).status).toBe(403);
    await v4(owner).delete(at(request)).expect(204);
    expect((await v4(owner).get(at(request))).status).toBe(404);
  });

  describe('lists', () => {
    let place: MadeProject;
    let first: NumberedBody;
    let second: NumberedBody;

    beforeAll(async () => {
      place = cast.projects[20];
      const make = async (person: Person, body: object) =>
        (
          await v4(person)
            .post(mergeRequestsOf(place), { target_branch: 'master', title: 'One', ...body })
            .expect(201)
        ).body as NumberedBody;
      first = await make(owner, { source_branch: 'topic/100', labels: 'x,y' });
      second = await make(developer, {
        source_branch: 'topic/101',
        title: 'draft: Two',
        description: 'a needle',
        labels: 'x',
        assignee_ids: [owner.user.id],
        reviewer_ids: [owner.user.id],
      });
    });

    it('filters', async () => {
      const [one, two] = [first.id, second.id];
      for (const [query, ids] of [
        ['', [two, one]],
        ['sort=asc&order_by=updated_at', [one, two]],
        ['state=opened', [two, one]],
        ['state=merged', []],
        ['state=locked', []],
        [`iids[]=${String(first.iid)}`, [one]],
        ['source_branch=topic/101', [two]],
        ['target_branch=master&source_branch=topic/100', [one]],
        ['target_branch=other', []],
        ['labels=x,y', [one]],
        ['labels=Any', [two, one]],
        ['labels=None', []],
        ['milestone=None', [two, one]],
        ['milestone=Absent', []],
        [`author_username=${developer.user.username}`, [two]],
        [`assignee_id=${String(owner.user.id)}`, [two]],
        ['assignee_id=None', [one]],
        ['search=needle', [two]],
        ['scope=created_by_me', [one]],
        ['scope=assigned_to_me', [two]],
        ['wip=yes', [two]],
        ['wip=no', [one]],
        ['not[labels]=y', [two]],
        ['not[source_branch]=topic/100', [two]],
        ['not[target_branch]=master', []],
        [`not[reviewer_id]=${String(owner.user.id)}`, [one]],
        [`not[reviewer_username]=${owner.user.username}`, [one]],
        [`not[author_id]=${String(owner.user.id)}&wip=yes`, [two]],
      ] as const) {
        expect([query, await listed(owner, `${mergeRequestsOf(place)}?${query}`)]).toEqual([
          query,
          ids,
        ]);
      }
      const { headers } = await v4(owner).get(`${mergeRequestsOf(place)}?labels=x&per_page=1`);
      expect(headers).toMatchObject({ 'x-total': '2', 'x-total-pages': '2', 'x-next-page': '2' });
    });

    it('finds drafts by the titles that are shown as drafts', async () => {
      const home = await trellis.factories.project(owner);
      const marked = ['WIP x', '[wip] x', '(Draft)x', 'draft: x', '  [DRAFT] x', 'wip:x'];
      const plain = ['Drafty', 'WIPE', 'x Draft: y', '(WIP) x', 'Draft x'];
      const rows = [...marked, ...plain].map((title) => ({ authorId: owner.user.id, title }));
      await addMergeRequests(trellis, home, rows);
      const titles = async (wip: string) => {
        const path = `${mergeRequestsOf(home)}?sort=asc&wip=${wip}`;
        const { body } = await v4(owner).get(path).expect(200);
        return body as { title: string; draft: boolean }[];
      };
      expect(await titles('yes')).toMatchObject(marked.map((title) => ({ title, draft: true })));
      expect(await titles('no')).toMatchObject(plain.map((title) => ({ title, draft: false })));
    });

    it('lists nine fields with view=simple, and refuses another view', async () => {
      const { body } = await v4(owner)
        .get(`${mergeRequestsOf(place)}?view=simple&search=needle`)
        .expect(200);
      expect(body).toEqual([
        {
          id: second.id,
          iid: second.iid,
          project_id: place.id,
          title: 'draft: Two',
          description: 'a needle',
          state: 'opened',
          created_at: expect.any(String) as string,
          updated_at: expect.any(String) as string,
          web_url: expect.stringMatching(/\/-\/merge_requests\/\d+$/) as string,
        },
      ]);
      for (const [query, error] of [
        ['view=short', 'view does not have a valid value'],
        ['wip=maybe', 'wip does not have a valid value'],
        ['not[reviewer_id]=Any', 'not[reviewer_id] is invalid'],
        [
          'not[reviewer_id]=1&not[reviewer_username]=a',
          'not[reviewer_id], not[reviewer_username] are mutually exclusive',
        ],
      ] as const) {
        const answer = await v4(owner).get(`${mergeRequestsOf(place)}?${query}`);
        expect([query, answer.status, answer.body]).toEqual([query, 400, { error }]);
      }
    });

    it('lists those of all projects that the caller may read, by default the own ones', async () => {
      const query = `search=needle`;
      expect(await listed(developer, `/merge_requests?${query}`)).toEqual([second.id]);
      expect(await listed(owner, `/merge_requests?${query}`)).toEqual([]);
      const assigned = `/merge_requests?scope=assigned_to_me&${query}`;
      expect(await listed(owner, assigned)).toEqual([second.id]);
      const all = `/merge_requests?scope=all&${query}`;
      expect(await listed(cast.people.stranger as Person, all)).toEqual([second.id]);
      const hidden = await open({ title: 'In the private project', description: 'a pin' });
      expect(await listed(guest, '/merge_requests?scope=all&search=a%20pin')).toEqual([]);
      expect(await listed(owner, '/merge_requests?scope=all&search=a%20pin')).toEqual([hidden.id]);
    });

    it('lists those of a group and of a milestone', async () => {
      const { factories } = trellis;
      const group = await factories.group(owner);
      const home = await factories.project(owner, { namespaceId: group.id });
      const [only] = await addMergeRequests(trellis, home, [{ authorId: owner.user.id }]);
      const milestoneId = await makeMilestone(trellis, home, 'One');
      await v4(owner)
        .put(`${mergeRequestsOf(home)}/1`, { milestone_id: milestoneId })
        .expect(200);
      const path = `/groups/${String(group.id)}/merge_requests`;
      const { body } = await v4(owner).get(path).expect(200);
      expect(body).toMatchObject([{ id: only, references: { relative: `${home.path}!1` } }]);
      expect(await listed(owner, `${path}?milestone=One`)).toEqual([only]);
      expect(await listed(owner, `${path}?milestone=None`)).toEqual([]);
      const ofMilestone = `/projects/${String(home.id)}/milestones/${String(milestoneId)}/merge_requests`;
      expect(await listed(owner, ofMilestone)).toEqual([only]);
    });
  });
});
