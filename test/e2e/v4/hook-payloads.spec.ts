import { createHash } from 'node:crypto';
import { QueueingHook, v4UserObject } from '../../support/hooks.js';
import { type MergePlace, Merging, type RequestBody } from '../../support/merging.js';
import { memberOf } from '../../support/pushed-refs.js';
import { type Person, unique } from '../../support/factories.js';
import { Trellis } from '../../support/trellis.js';

jest.setTimeout(240_000);

type Payload = Record<string, unknown>;

const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC$/) as string;
const ID = expect.any(Number) as number;
const ALL = {
  push_events: true,
  tag_push_events: true,
  issues_events: true,
  confidential_issues_events: true,
  note_events: true,
  confidential_note_events: true,
  merge_requests_events: true,
  job_events: true,
  pipeline_events: true,
  releases_events: true,
  emoji_events: true,
};

describe('payloads of version 4', () => {
  let trellis: Trellis;
  let merging: Merging;
  let place: MergePlace;
  let owner: Person;
  let developer: Person;
  let hook: QueueingHook;
  /** A hook of version 3 beside it. */
  let older: QueueingHook;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    merging = await Merging.begin(trellis);
  });
  afterAll(() => merging.end());
  beforeEach(async () => {
    place = await merging.place();
    owner = place.owner;
    developer = await memberOf(trellis, place.project, 30);
    hook = await QueueingHook.ofVersion4(trellis, owner, place.project, ALL);
    older = await QueueingHook.ofProject(trellis, owner, place.project, {
      issues_events: true,
      note_events: true,
      merge_requests_events: true,
      build_events: true,
    });
  });

  const topicOf = async () => {
    const branch = `topic-${unique()}`;
    return { branch, head: await place.commit(branch) };
  };
  const at = (rest: string) => `/projects/${String(place.project.id)}${rest}`;
  const v4 = (person: Person) => trellis.as(person).v4;
  const attributes = (payload: Payload) => payload['object_attributes'] as Payload;
  const page = (rest: string) => `${trellis.url}/${place.project.fullPath}/-/${rest}`;
  const projectObject = () =>
    expect.objectContaining({
      id: place.project.id,
      web_url: `${trellis.url}/${place.project.fullPath}`,
      path_with_namespace: place.project.fullPath,
      visibility_level: 0,
      ci_config_path: null,
    }) as object;
  const shape = async (queue: QueueingHook) =>
    (await queue.queuedEvents()).map(({ kind, body }) => [kind, attributes(body)['action']]);

  it('of issues have attributes, labels, assignees and the changes of each field', async () => {
    await v4(owner).post(at('/labels'), { name: 'bug', color: '#ff0000' }).expect(201);
    await v4(owner).post(at('/labels'), { name: 'ui', color: '#00ff00' }).expect(201);
    const made = await v4(owner)
      .post(at('/issues'), { title: 'One', labels: 'bug', assignee_ids: [developer.user.id] })
      .expect(201);
    const { iid, id } = made.body as RequestBody;
    const opened = await hook.queuedPayload();
    expect(Object.keys(opened)).toEqual([
      ...['object_kind', 'event_type', 'user', 'project', 'object_attributes', 'labels'],
      ...['changes', 'repository', 'assignees', 'assignee'],
    ]);
    expect(opened).toMatchObject({
      object_kind: 'issue',
      event_type: 'issue',
      user: v4UserObject(owner),
      project: projectObject(),
      object_attributes: {
        id,
        iid,
        title: 'One',
        state: 'opened',
        state_id: 1,
        action: 'open',
        type: 'Issue',
        assignee_ids: [developer.user.id],
        created_at: TIME,
        closed_at: null,
        url: page(`issues/${String(iid)}`),
        labels: [{ title: 'bug', type: 'ProjectLabel', project_id: place.project.id }],
      },
      labels: [{ title: 'bug', color: '#ff0000' }],
      changes: { title: { previous: null, current: 'One' }, id: { previous: null, current: id } },
      assignees: [v4UserObject(developer)],
      assignee: v4UserObject(developer),
    });

    const changes = { title: 'Two', labels: 'ui', assignee_ids: [0], due_date: '2030-01-31' };
    await v4(developer)
      .put(at(`/issues/${String(iid)}`), changes)
      .expect(200);
    const updated = await hook.queuedPayload();
    expect(updated).toMatchObject({ user: v4UserObject(developer), assignees: [] });
    expect(updated['changes']).toMatchObject({
      title: { previous: 'One', current: 'Two' },
      due_date: { previous: null, current: '2030-01-31' },
      updated_by_id: { previous: null, current: developer.user.id },
      assignees: { previous: [v4UserObject(developer)], current: [] },
      labels: { previous: [{ title: 'bug' }], current: [{ title: 'ui' }] },
    });
    expect(updated['changes']).not.toHaveProperty('description');
    await v4(owner).put(at(`/issues/${String(iid)}`), { state_event: 'close' });
    const closed = await hook.queuedPayload();
    expect(attributes(closed)).toMatchObject({ action: 'close', state_id: 2, closed_at: TIME });
    expect(closed['changes']).toEqual({ state_id: { previous: 1, current: 2 } });
    const [first] = await older.queuedEvents();
    expect(Object.keys(first?.body ?? {})).toEqual([
      ...[
        'object_kind',
        'user',
        'project',
        'repository',
        'object_attributes',
        'labels',
        'assignee',
      ],
    ]);
  });

  it('of issues say whether a label is one of a group', async () => {
    const group = await trellis.factories.group(owner, {});
    const project = await trellis.factories.project(owner, { namespaceId: group.id });
    const queue = await QueueingHook.ofVersion4(trellis, owner, project, { issues_events: true });
    const label = { name: 'shared', color: '#ff0000' };
    await v4(owner)
      .post(`/groups/${String(group.id)}/labels`, label)
      .expect(201);
    await v4(owner)
      .post(`/projects/${String(project.id)}/issues`, { title: 'One', labels: 'shared' })
      .expect(201);
    const shown = { title: 'shared', type: 'GroupLabel', group_id: group.id, project_id: null };
    expect(await queue.queuedPayload()).toMatchObject({
      object_attributes: { labels: [shown] },
      labels: [shown],
    });
  });

  it('of issues say whether the discussion is locked', async () => {
    const made = await v4(owner).post(at('/issues'), { title: 'One' }).expect(201);
    expect(attributes(await hook.queuedPayload())).toMatchObject({ discussion_locked: null });
    await v4(owner)
      .put(at(`/issues/${String((made.body as RequestBody).iid)}`), { discussion_locked: true })
      .expect(200);
    expect(await hook.queuedPayload()).toMatchObject({
      object_attributes: { discussion_locked: true },
      changes: { discussion_locked: { previous: null, current: true } },
    });
  });

  it('of confidential issues and their notes are for hooks that ask for them', async () => {
    const plain = await QueueingHook.ofVersion4(trellis, owner, place.project, {
      issues_events: true,
      note_events: true,
      emoji_events: true,
    });
    const made = await v4(owner)
      .post(at('/issues'), { title: 'Secret', confidential: true })
      .expect(201);
    const { iid } = made.body as RequestBody;
    const notes = at(`/issues/${String(iid)}/notes`);
    const note = await v4(owner).post(notes, { body: 'Well' }).expect(201);
    await v4(owner).post(`${notes}/${String((note.body as RequestBody).id)}/award_emoji`, {
      name: 'tada',
    });
    const events = await hook.queuedEvents();
    expect(events.map(({ kind, body }) => [kind, body['object_kind'], body['event_type']])).toEqual(
      [
        ['confidential_issue', 'issue', 'confidential_issue'],
        ['confidential_note', 'note', 'confidential_note'],
      ],
    );
    expect(attributes(events[1]?.body ?? {})).toMatchObject({ internal: true, action: 'create' });
    expect(await plain.queuedEvents()).toEqual([]);
    expect(await older.queuedEvents()).toEqual([]);
    await v4(owner).put(at(`/issues/${String(iid)}`), { confidential: false });
    const [shown] = await plain.queuedEvents();
    expect(shown?.body['changes']).toMatchObject({
      confidential: { previous: true, current: false },
    });
  });

  it('of merge requests take one statement to find the hooks of project and instance', async () => {
    const { branch } = await topicOf();
    const body = { title: 'One', source_branch: branch, target_branch: 'master' };
    const made = await v4(owner).post(at('/merge_requests'), body).expect(201);
    const path = at(`/merge_requests/${String((made.body as RequestBody).iid)}`);
    const statements = await trellis.statements.during(() =>
      v4(owner).put(path, { title: 'Two' }).expect(200),
    );
    const subscribed = statements.filter((sql) => sql.includes('merge_requests_events'));
    expect(subscribed).toHaveLength(1);
  });

  it('of merge requests have drafts, reviewers, the merge status and changes', async () => {
    const topic = await topicOf();
    const body = { title: 'Draft: One', source_branch: topic.branch, target_branch: 'master' };
    const made = await v4(owner)
      .post(at('/merge_requests'), { ...body, reviewer_ids: [developer.user.id] })
      .expect(201);
    const { iid } = made.body as RequestBody;
    const path = at(`/merge_requests/${String(iid)}`);
    const events = (await hook.queuedEvents()).filter(({ kind }) => kind === 'merge_request');
    expect(events).toHaveLength(1);
    expect(events[0]?.body).toMatchObject({
      object_kind: 'merge_request',
      event_type: 'merge_request',
      user: v4UserObject(owner),
      project: projectObject(),
      reviewers: [v4UserObject(developer)],
      assignees: [],
      object_attributes: {
        iid,
        action: 'open',
        state: 'opened',
        state_id: 1,
        draft: true,
        work_in_progress: true,
        detailed_merge_status: 'draft_status',
        blocking_discussions_resolved: true,
        reviewer_ids: [developer.user.id],
        source: projectObject(),
        target: projectObject(),
        url: page(`merge_requests/${String(iid)}`),
        last_commit: {
          id: topic.head,
          title: expect.any(String) as string,
          url: page(`commit/${topic.head}`),
        },
      },
      changes: { draft: { previous: null, current: true } },
    });
    await v4(owner).put(path, { title: 'One', reviewer_ids: [0] });
    const ready = await hook.queuedPayload();
    expect(attributes(ready)).toMatchObject({ action: 'update', draft: false });
    expect(attributes(ready)).not.toHaveProperty('oldrev');
    expect(ready['changes']).toMatchObject({
      draft: { previous: true, current: false },
      title: { previous: 'Draft: One', current: 'One' },
      reviewers: { previous: [v4UserObject(developer)], current: [] },
    });
    await v4(owner).put(path, { state_event: 'close' });
    const closed = await hook.queuedPayload();
    expect(closed['changes']).toEqual({ state_id: { previous: 1, current: 2 } });
    expect(attributes(closed)).toMatchObject({ detailed_merge_status: 'not_open', state_id: 2 });
  });

  it('of merge requests are sent for approvals and pushes, to hooks of version 4 alone', async () => {
    const request = await place.propose();
    await hook.queuedEvents();
    await older.queuedEvents();
    const path = at(`/merge_requests/${String(request.iid)}`);
    await v4(owner).post(at('/approvals'), { approvals_before_merge: 2 });
    await v4(developer).post(`${path}/approve`).expect(201);
    await v4(developer).post(`${path}/unapprove`).expect(201);
    await v4(owner).post(at('/approvals'), { approvals_before_merge: 1 });
    await v4(developer).post(`${path}/approve`).expect(201);
    await v4(developer).post(`${path}/unapprove`).expect(201);
    expect(await shape(hook)).toEqual([
      ['merge_request', 'approval'],
      ['merge_request', 'unapproval'],
      ['merge_request', 'approved'],
      ['merge_request', 'unapproved'],
    ]);
    expect(await older.queuedEvents()).toEqual([]);
  });

  it('of notes have discussion, type and position, and are sent for changes', async () => {
    const request = await place.propose();
    const path = at(`/merge_requests/${String(request.iid)}`);
    const { diff_refs: refs } = (await v4(owner).get(path).expect(200)).body as {
      diff_refs: Record<'base_sha' | 'start_sha' | 'head_sha', string>;
    };
    const { body: diffs } = await v4(owner).get(`${path}/diffs`).expect(200);
    const [{ new_path: file }] = diffs as [{ new_path: string }];
    const position = {
      ...refs,
      position_type: 'text',
      old_path: file,
      new_path: file,
      new_line: 1,
    };
    await hook.queuedEvents();
    await older.queuedEvents();
    const begun = await v4(owner)
      .post(`${path}/discussions`, { body: 'Here', position })
      .expect(201);
    const discussion = begun.body as { id: string; notes: { id: number }[] };
    const [{ id }] = discussion.notes as [{ id: number }];
    const written = await hook.queuedPayload();
    expect(written).toMatchObject({
      object_kind: 'note',
      event_type: 'note',
      project_id: place.project.id,
      object_attributes: {
        id,
        note: 'Here',
        description: 'Here',
        action: 'create',
        discussion_id: discussion.id,
        noteable_type: 'MergeRequest',
        type: 'DiffNote',
        internal: false,
        position: { ...position, old_line: null },
        original_position: { ...position, old_line: null },
        created_at: TIME,
        url: `${page(`merge_requests/${String(request.iid)}`)}#note_${String(id)}`,
      },
      merge_request: { iid: request.iid, draft: false, last_commit: { id: refs.head_sha } },
    });
    await v4(owner)
      .put(`${path}/notes/${String(id)}`, { body: 'There' })
      .expect(200);
    const changed = await hook.queuedPayload();
    expect(attributes(changed)).toMatchObject({ id, note: 'There', action: 'update' });
    const seen = await older.queuedEvents();
    expect(seen.map(({ body }) => attributes(body)['note'])).toEqual(['Here']);

    const comments = at(`/repository/commits/${refs.head_sha}/comments`);
    const line = { note: 'Line', path: file, line: 1, line_type: 'new' };
    await v4(owner).post(comments, line).expect(201);
    const comment = await hook.queuedPayload();
    const hash = createHash('sha1').update(file).digest('hex');
    expect(attributes(comment)).toMatchObject({
      noteable_type: 'Commit',
      commit_id: refs.head_sha,
      noteable_id: null,
      type: 'DiffNote',
      line_code: expect.stringMatching(new RegExp(`^${hash}_\\d+_1$`)) as string,
      position: { new_path: file, new_line: 1 },
    });
    expect(comment['commit']).toMatchObject({ id: refs.head_sha, title: expect.any(String) });
  });

  it('of emoji are sent for awards and for those taken back', async () => {
    const made = await v4(owner).post(at('/issues'), { title: 'One' }).expect(201);
    const { iid, id } = made.body as RequestBody;
    await hook.queuedEvents();
    const awards = at(`/issues/${String(iid)}/award_emoji`);
    const award = await v4(developer).post(awards, { name: 'tada' }).expect(201);
    const given = await hook.queuedPayload();
    expect(given).toMatchObject({
      object_kind: 'emoji',
      event_type: 'award',
      user: v4UserObject(developer),
      object_attributes: {
        id: (award.body as RequestBody).id,
        name: 'tada',
        awardable_type: 'Issue',
        awardable_id: id,
        action: 'award',
        awarded_on_url: page(`issues/${String(iid)}`),
      },
      issue: { id, iid, title: 'One' },
    });
    await v4(developer)
      .delete(`${awards}/${String((award.body as RequestBody).id)}`)
      .expect(204);
    const taken = await hook.queuedPayload();
    expect(taken).toMatchObject({ event_type: 'revoke', object_attributes: { action: 'revoke' } });
    expect((await older.queuedEvents()).map(({ kind }) => kind)).toEqual(['issue']);
  });

  it('of commit statuses are jobs and pipelines', async () => {
    const topic = await topicOf();
    await hook.queuedEvents();
    const body = { state: 'success', ref: topic.branch, name: 'ci', target_url: 'https://ci/1' };
    await v4(owner)
      .post(at(`/statuses/${topic.head}`), body)
      .expect(201);
    const [job, pipeline] = await hook.queuedEvents();
    expect(job?.body).toMatchObject({
      object_kind: 'build',
      sha: topic.head,
      build_name: 'ci',
      build_status: 'success',
      build_created_at: TIME,
      build_failure_reason: null,
      pipeline_id: ID,
      runner: null,
      environment: null,
      project: projectObject(),
      user: v4UserObject(owner),
      commit: { sha: topic.head, status: 'success', message: expect.any(String) as string },
    });
    expect(pipeline?.body).toMatchObject({
      object_kind: 'pipeline',
      object_attributes: {
        ref: topic.branch,
        sha: topic.head,
        source: 'external',
        status: 'success',
        detailed_status: 'passed',
        url: 'https://ci/1',
        variables: [],
      },
      merge_request: null,
      user: v4UserObject(owner),
      commit: { id: topic.head, title: expect.any(String) as string },
      builds: [{ name: 'ci', status: 'success', allow_failure: false, user: v4UserObject(owner) }],
    });
    expect((await older.queuedEvents()).map(({ body: { object_kind: kind } }) => kind)).toEqual([
      'build',
    ]);
  });

  it('of pushes name the user, protection and titles, of branches that pass the filter', async () => {
    const filters = { push_events: true, push_events_branch_filter: 'release/*' };
    const wildcard = await QueueingHook.ofVersion4(trellis, owner, place.project, filters);
    const regex = await QueueingHook.ofVersion4(trellis, owner, place.project, {
      push_events: true,
      push_events_branch_filter: '^release/\\d+$',
      branch_filter_strategy: 'regex',
    });
    const all = await QueueingHook.ofVersion4(trellis, owner, place.project, {
      ...filters,
      branch_filter_strategy: 'all_branches',
    });
    for (const branch of ['other', 'release/1', 'release/x']) {
      await v4(owner).post(at('/repository/branches'), { branch, ref: 'master' }).expect(201);
    }
    const refs = async (queue: QueueingHook) =>
      (await queue.queuedEvents()).map(({ body }) => body['ref']);
    expect(await refs(wildcard)).toEqual(['refs/heads/release/1', 'refs/heads/release/x']);
    expect(await refs(regex)).toEqual(['refs/heads/release/1']);
    expect(await refs(all)).toHaveLength(3);
    await hook.queuedEvents();
    await trellis.as(owner).put(at('/repository/branches/master/protect'), {}).expect(200);
    const file = { branch: 'master', content: 'x', commit_message: 'Add a file\n\nWith a text' };
    await v4(owner).post(at('/repository/files/new.txt'), file).expect(201);
    const pushed = await hook.queuedPayload();
    expect(pushed).toMatchObject({
      object_kind: 'push',
      event_name: 'push',
      ref: 'refs/heads/master',
      ref_protected: true,
      user_id: owner.user.id,
      user_username: owner.user.username,
      user_email: '[REDACTED]',
      project: projectObject(),
      total_commits_count: 1,
      commits: [{ title: 'Add a file', added: ['new.txt'], modified: [], removed: [] }],
    });
    await v4(owner).post(at('/repository/tags'), { tag_name: 'v1', ref: 'master' }).expect(201);
    expect(await hook.queuedPayload()).toMatchObject({
      object_kind: 'tag_push',
      ref: 'refs/tags/v1',
      ref_protected: false,
    });
    expect(await refs(wildcard)).toEqual([]);
  });
});
