import type { MadeGroup, MadeProject, Person } from '../../support/factories.js';
import { issuesOf, makeMilestone, openIssue } from '../../support/issues.js';
import { addMergeRequests } from '../../support/merge-request-rows.js';
import { PushedProjects } from '../../support/pushed-projects.js';
import { Trellis } from '../../support/trellis.js';
import { basicUser, type NumberedBody } from '../../support/v4-bodies.js';

jest.setTimeout(120_000);

const SECRET = 'xanthophyll';

interface Named {
  readonly id: number;
  readonly body?: string;
  readonly path?: string;
}

describe('version 4 without a credential', () => {
  let trellis: Trellis;
  let projects: PushedProjects;
  let owner: Person;
  let guest: Person;
  let group: MadeGroup;
  let shown: MadeProject;
  let hidden: MadeProject;
  let head: string;
  let open: NumberedBody;
  let secret: NumberedBody;
  let milestoneId: number;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    const { factories } = trellis;
    projects = new PushedProjects(trellis, await factories.user({ projectsLimit: 10 }));
    ({ owner } = projects);
    guest = await factories.user();
    group = await factories.group(owner);
    const made = await projects.make({ namespaceId: group.id, visibilityLevel: 20 });
    ({ project: shown, head } = made);
    hidden = await factories.project(owner, { namespaceId: group.id, visibilityLevel: 0 });
    milestoneId = await makeMilestone(trellis, shown, 'One');
    const common = { labels: 'found', milestone_id: milestoneId };
    open = await openIssue(trellis, owner, shown, { ...common, title: 'Open' });
    secret = await openIssue(trellis, owner, shown, {
      ...common,
      title: `A ${SECRET}`,
      description: SECRET,
      confidential: true,
    });
    for (const { iid } of [open, secret]) {
      const note = { body: `@${guest.user.username} look` };
      await v4(owner)
        .post(`${issuesOf(shown)}/${String(iid)}/notes`, note)
        .expect(201);
    }
  });
  afterAll(() => projects.remove());

  const v4 = (person: Person) => trellis.as(person).v4;
  const stranger = () => trellis.anonymous.v4;
  const at = ({ iid }: { iid: number }) => `${issuesOf(shown)}/${String(iid)}`;
  const base = () => `/projects/${String(shown.id)}`;

  const read = async <Body = Named[]>(path: string) => {
    const { body, headers } = await stranger().get(path).expect(200);
    return { body: body as Body, total: headers['x-total'] };
  };

  describe('and confidential issues', () => {
    const lists = (): string[] => [
      issuesOf(shown),
      `/groups/${group.path}/issues`,
      `${base()}/milestones/${String(milestoneId)}/issues`,
      `/issues?scope=all&author_id=${String(owner.user.id)}`,
    ];

    it('lists and counts what is not confidential only', async () => {
      for (const path of lists()) {
        const { body, total } = await read(path);
        expect([path, body.map(({ id }) => id), total]).toEqual([path, [open.id], '1']);
      }
    });

    it.each([
      'confidential=true',
      `search=${SECRET}`,
      `search=${SECRET}&in=description`,
      'scope=created_by_me',
      'scope=assigned_to_me',
      'assignee_id=Any',
      'state=closed',
    ])('finds none by %s', async (filter) => {
      const { body, total } = await read(`${issuesOf(shown)}?${filter}`);
      expect([body, total]).toEqual([[], '0']);
    });

    it.each(['labels=found', 'milestone=One', 'labels=Any', 'order_by=updated_at', 'sort=asc'])(
      'finds the others by %s',
      async (filter) => {
        const { body, total } = await read(`${issuesOf(shown)}?${filter}`);
        expect([body.map(({ id }) => id), total]).toEqual([[open.id], '1']);
      },
    );

    it('does not find one by its number', async () => {
      expect((await read(`${issuesOf(shown)}?iids[]=${String(secret.iid)}`)).body).toEqual([]);
      for (const path of ['', '/notes', '/award_emoji', '/participants']) {
        const { body } = await stranger()
          .get(at(secret) + path)
          .expect(404);
        const absent = await stranger()
          .get(`${issuesOf(shown)}/2000000000${path}`)
          .expect(404);
        expect([path, body]).toEqual([path, absent.body]);
      }
    });

    it('does not count them on labels', async () => {
      const { body } = await read(`${base()}/labels?with_counts=true`);
      expect(body).toMatchObject([{ name: 'found', subscribed: false, open_issues_count: 1 }]);
    });

    it('does not show events on them', async () => {
      for (const path of [`${base()}/events`, `/users/${owner.user.username}/events`]) {
        const { body } = await stranger().get(`${path}?target_type=issue`).expect(200);
        expect((body as { target_id: number }[]).map((event) => event.target_id)).toEqual([
          open.id,
        ]);
      }
    });

    it('does not show who takes part in them', async () => {
      const { body } = await read(`${at(open)}/participants`);
      expect(body.map(({ id }) => id)).toEqual([owner.user.id, guest.user.id]);
    });
  });

  it('returns 401 for lists across projects without scope=all', async () => {
    for (const path of ['/issues', '/merge_requests']) {
      await stranger().get(path).expect(401);
      for (const scope of ['created_by_me', 'assigned_to_me']) {
        await stranger().get(`${path}?scope=${scope}`).expect(401);
      }
      await stranger().get(`${path}?scope=all`).expect(200);
    }
  });

  it('hides cross-references from private projects', async () => {
    const text = `See ${shown.fullPath}#${String(open.iid)}`;
    await openIssue(trellis, owner, hidden, { title: 'Hidden', description: text });
    await openIssue(trellis, owner, shown, {
      title: 'Referring',
      description: text,
      confidential: true,
    });
    const notes = `${at(open)}/notes?activity_filter=only_activity`;
    const { body } = await v4(owner).get(notes).expect(200);
    const mentions = (body as Named[]).filter((note) => note.body?.startsWith('mentioned in'));
    expect(mentions).toHaveLength(2);
    const { body: seen, total } = await read(`${at(open)}/notes`);
    expect(seen.map((note) => note.body)).not.toContainEqual(
      expect.stringMatching(/^mentioned in/),
    );
    expect(total).toBe(String(seen.length));
    for (const { id } of mentions) {
      await stranger()
        .get(`${at(open)}/notes/${String(id)}`)
        .expect(404);
      await stranger()
        .get(`${at(open)}/notes/${String(id)}/award_emoji`)
        .expect(404);
    }
  });

  it('shows merge requests as to visitors, without their pipelines', async () => {
    const [id] = await addMergeRequests(trellis, shown, [
      { authorId: owner.user.id, headSha: head },
    ]);
    await v4(owner)
      .post(`${base()}/statuses/${head}`, { state: 'success', ref: 'topic/1' })
      .expect(201);
    const path = `${base()}/merge_requests`;
    for (const list of [path, `/groups/${group.path}/merge_requests`]) {
      const { body, total } = await read(list);
      expect([list, body.map((one) => one.id), total]).toEqual([list, [id], '1']);
    }
    const known = await v4(owner).get(`${path}/1`).expect(200);
    expect(known.body).toMatchObject({ head_pipeline: { status: 'success' } });
    const seen = await read<object>(`${path}/1`);
    expect(seen.body).toEqual({
      ...(known.body as object),
      subscribed: false,
      head_pipeline: null,
      pipeline: null,
      latest_build_started_at: null,
      latest_build_finished_at: null,
      user: { can_merge: false },
    });
    await stranger().get(`${path}/1/pipelines`).expect(401);
  });

  it('shows merge requests as if the project required no build', async () => {
    const { project, head: built } = await projects.make({ visibilityLevel: 20 });
    const path = `/projects/${String(project.id)}`;
    await v4(owner).put(path, { only_allow_merge_if_pipeline_succeeds: true }).expect(200);
    await addMergeRequests(trellis, project, [{ authorId: owner.user.id, headSha: built }]);
    const status = { state: 'failed', ref: 'topic/1' };
    await v4(owner).post(`${path}/statuses/${built}`, status).expect(201);
    const lists = [
      `${path}/merge_requests`,
      `/merge_requests?scope=all&author_id=${String(owner.user.id)}`,
    ];
    const ofBuilt = (body: object) =>
      (body as { project_id: number; detailed_merge_status: string }[])
        .filter(({ project_id }) => project_id === project.id)
        .map(({ detailed_merge_status }) => detailed_merge_status);
    for (const list of lists) {
      const known = await v4(owner).get(list).expect(200);
      expect([list, ofBuilt(known.body as object)]).toEqual([list, ['ci_must_pass']]);
      const seen = await read<object>(list);
      expect([list, ofBuilt(seen.body)]).toEqual([list, ['unchecked']]);
    }
    const single = `${path}/merge_requests/1`;
    const known = await v4(owner).get(single).expect(200);
    expect(known.body).toMatchObject({ detailed_merge_status: 'ci_must_pass' });
    // The source branch does not exist.
    const seen = await read<object>(single);
    expect(seen.body).toMatchObject({ detailed_merge_status: 'conflict' });
  });

  it('does not show what a project has switched off', async () => {
    const { factories } = trellis;
    const off = await factories.project(owner, { visibilityLevel: 20 });
    const { iid } = await openIssue(trellis, owner, off);
    await addMergeRequests(trellis, off, [{ authorId: owner.user.id }]);
    const switches = { issues_enabled: false, merge_requests_enabled: false };
    await v4(owner)
      .put(`/projects/${String(off.id)}`, switches)
      .expect(200);
    const path = `/projects/${String(off.id)}`;
    const answers = [
      `issues/${String(iid)}`,
      `issues/${String(iid)}/notes`,
      'merge_requests',
      'merge_requests/1',
      'merge_requests/1/notes',
      'labels',
      'milestones',
    ].map((part) => stranger().get(`${path}/${part}`));
    for (const { status } of await Promise.all(answers)) expect([403, 404]).toContain(status);
    for (const list of ['issues', 'merge_requests']) {
      const { body } = await read(`/${list}?scope=all&author_id=${String(owner.user.id)}`);
      expect(body).not.toContainEqual(expect.objectContaining({ project_id: off.id }));
    }
  });

  describe('and users', () => {
    it('finds one by the whole user name only', async () => {
      const { username, email } = guest.user;
      const url = trellis.url;
      const { body } = await read(`/users?username=${username.toUpperCase()}`);
      expect(body).toMatchObject([{ id: guest.user.id, username }]);
      expect(Object.keys(body[0] as object).sort()).toEqual(
        Object.keys(basicUser(guest, url)).sort(),
      );
      for (const query of ['', `?search=${email}`, '?username=', '?active=true']) {
        await stranger().get(`/users${query}`).expect(403);
      }
      await stranger()
        .get(`/users/${String(guest.user.id)}`)
        .expect(403);
    });

    it('lists their public projects', async () => {
      const mine = await trellis.factories.project(owner, { visibilityLevel: 20 });
      await trellis.factories.project(owner, { visibilityLevel: 10 });
      const { body } = await read(`/users/${String(owner.user.id)}/projects`);
      expect(body.map(({ id }) => id)).toContain(mine.id);
      const rows = await trellis.rows<{ id: number }>(
        'SELECT id FROM projects WHERE id = ANY($1) AND visibility_level <> 20',
        [body.map(({ id }) => id)],
      );
      expect(rows).toEqual([]);
    });
  });

  describe('and groups', () => {
    it('lists public ones only', async () => {
      const secretGroup = await trellis.factories.group(owner, { visibilityLevel: 0 });
      const internal = await trellis.factories.group(owner, { visibilityLevel: 10 });
      for (const { path } of [secretGroup, internal]) {
        for (const query of ['', '&all_available=true', '&visibility=private']) {
          expect((await read(`/groups?search=${path}${query}`)).body).toEqual([]);
        }
      }
      const { body } = await read(`/groups?search=${group.path}`);
      expect(body.map(({ id }) => id)).toEqual([group.id]);
      await stranger().get('/groups?owned=true').expect(401);
      await stranger().get('/groups?min_access_level=10').expect(401);
    });

    it('shows their public projects only', async () => {
      const { body } = await read<{ projects: Named[] }>(`/groups/${group.path}`);
      expect(body.projects.map(({ id }) => id)).toEqual([shown.id]);
      const listed = await read(`/groups/${group.path}/projects`);
      expect([listed.body.map(({ id }) => id), listed.total]).toEqual([[shown.id], '1']);
    });

    it('does not show a private one that a public project is shared with', async () => {
      const invited = await trellis.factories.group(owner, { visibilityLevel: 0 });
      await trellis.factories.share(shown, invited, 30);
      for (const path of ['', '/projects', '/issues', '/merge_requests', '/subgroups']) {
        await stranger().get(`/groups/${invited.path}${path}`).expect(404);
      }
      const { body } = await read<{ shared_with_groups: object[] }>(base());
      expect(body.shared_with_groups).toEqual([]);
      await v4(guest).get(`/groups/${invited.path}`).expect(200);
    });
  });
});
