import { type Cast, makeCast, ROLES, type Role } from '../../support/cast.js';
import type { Person } from '../../support/factories.js';
import { PushedProjects } from '../../support/pushed-projects.js';
import { summaryOf } from '../../support/summaries.js';
import { Trellis } from '../../support/trellis.js';

const ZERO = '0'.repeat(40);
const PUSHED_REF = {
  ...{ ref: 'refs/heads/x', oldOid: ZERO, newOid: ZERO },
  ...{ message: null, commits: [], commitCount: 0 },
};

interface EventBody {
  action_name: string;
  author_username: string;
  created_at: string;
  data: { ref: string } | null;
}

describe('GET /projects/:id/events', () => {
  let trellis: Trellis;
  let owner: Person;
  let projects: PushedProjects;
  let cast: Cast;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    owner = await trellis.factories.user({ projectsLimit: 1000 });
    projects = new PushedProjects(trellis, owner);
    cast = await makeCast(trellis);
  }, 120_000);
  afterAll(() => projects.remove());

  const clientOf = (person: Person | null) =>
    person === null ? trellis.anonymous : trellis.as(person);

  const list = async (person: Person | null, { id }: { id: number }, query = '') => {
    const { body, headers } = await clientOf(person)
      .get(`/projects/${String(id)}/events${query}`)
      .expect(200);
    return { events: body as EventBody[], total: (headers as Record<string, string>)['x-total'] };
  };

  it('is available for public projects, and refuses malformed pages', async () => {
    const { projects: made, people } = cast;
    const path = (id: number) => `/projects/${String(id)}/events`;
    for (const id of [made[0].id, made[10].id, 2_147_483_647, 2_147_483_648]) {
      const answer = await trellis.anonymous.get(path(id)).expect(404);
      expect(answer.body).toEqual({ message: '404 Project Not Found' });
    }
    const owned = trellis.as(people.owner as Person);
    for (const page of ['first', '1.5', '%00', '1e3']) {
      const answer = await owned.get(`${path(made[0].id)}?page=${page}`).expect(400);
      expect(answer.body).toEqual({ error: 'page is invalid' });
    }
    await trellis.anonymous.get(path(made[20].id)).expect(200);
    await trellis.anonymous.call('head', path(made[20].id)).expect(200);
  });

  it('lists creation and pushes, newest first, with all fields', async () => {
    const { project, work, head } = await projects.make({ visibilityLevel: 20 });
    const second = await work.commit('Second\n\nWith a body');
    await work.push('HEAD:refs/heads/master');
    const { body } = await trellis.anonymous
      .get(`/projects/${encodeURIComponent(project.fullPath)}/events`)
      .expect(200);
    const web = `${trellis.url}/${project.fullPath}`;
    const ssh = `ssh://git@localhost:2222/${project.fullPath}.git`;
    const common = {
      title: null,
      project_id: project.id,
      target_id: null,
      target_type: null,
      target_title: null,
      author_id: owner.user.id,
      author_username: owner.user.username,
      author: summaryOf(trellis, owner),
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string,
    };
    const data = {
      object_kind: 'push',
      event_name: 'push',
      ref: 'refs/heads/master',
      user_id: owner.user.id,
      user_name: owner.user.name,
      user_avatar: summaryOf(trellis, owner).avatar_url,
      message: null,
      project_id: project.id,
      project: {
        ...{ name: project.path, description: null, web_url: web, avatar_url: null },
        ...{ git_ssh_url: ssh, git_http_url: `${web}.git`, namespace: owner.user.name },
        ...{
          visibility_level: 20,
          path_with_namespace: project.fullPath,
          default_branch: 'master',
        },
        ...{ homepage: web, url: ssh, ssh_url: ssh, http_url: `${web}.git` },
      },
      repository: {
        ...{ name: project.path, url: ssh, description: null, homepage: web },
        ...{ git_http_url: `${web}.git`, git_ssh_url: ssh, visibility_level: 20 },
      },
    };
    const commit = async (id: string, message: string) => ({
      id,
      message,
      timestamp: (await work.git('log', '-1', '--format=%cI', id)).replace(/Z$/, '+00:00'),
      url: `${web}/commit/${id}`,
      author: { name: 'Ada', email: 'ada@example.com' },
    });
    const commits = [
      await commit(head, 'First commit\n'),
      await commit(second, 'Second\n\nWith a body\n'),
    ];
    expect(body).toEqual([
      {
        ...common,
        action_name: 'pushed to',
        data: {
          ...data,
          before: head,
          after: second,
          checkout_sha: second,
          commits: commits.slice(1),
          total_commits_count: 1,
        },
      },
      {
        ...common,
        action_name: 'pushed new',
        data: {
          ...data,
          before: ZERO,
          after: head,
          checkout_sha: head,
          commits: commits.slice(0, 1),
          total_commits_count: 1,
        },
      },
      { ...common, action_name: 'created', data: null },
    ]);
  });

  it('lists members who join and leave', async () => {
    const project = await trellis.factories.project(owner);
    const member = await trellis.factories.user();
    const members = `/projects/${String(project.id)}/members`;
    const body = { user_id: member.user.id, access_level: 20 };
    await trellis.as(owner).post(members, body).expect(200);
    await trellis
      .as(owner)
      .delete(`${members}/${String(member.user.id)}`)
      .expect(200);
    const { events } = await list(owner, project);
    expect(
      events.map(({ action_name, author_username }) => [action_name, author_username]),
    ).toEqual([
      ['left', member.user.username],
      ['joined', member.user.username],
      ['created', owner.user.username],
    ]);
  });

  it('hides pushes from readers without access to the code, totals included', async () => {
    const author = (cast.people.owner as Person).user.id;
    const hidden = (role: Role, visibility: number) =>
      visibility === 0 && ['guest', 'groupGuest'].includes(role);
    const unseen: Record<number, (role: Role) => boolean> = {
      0: (role) => /anonymous|stranger|^external$|blocked|former/.test(role),
      10: (role) => /anonymous|^external$|blocked/.test(role),
      20: () => false,
    };
    for (const visibility of [0, 10, 20] as const) {
      const { id } = cast.projects[visibility];
      await record(id, author, ['pushed new', 'pushed to', 'joined', 'deleted', 'imported']);
      for (const role of ROLES) {
        const { status, body, headers } = await clientOf(cast.people[role]).get(
          `/projects/${String(id)}/events?per_page=2`,
        );
        const actions = Array.isArray(body)
          ? (body as EventBody[]).map(({ action_name }) => action_name)
          : undefined;
        const seen = [visibility, role, status, headers['x-total'], actions];
        if (unseen[visibility]?.(role) === true) {
          expect(seen).toEqual([visibility, role, 404, undefined, undefined]);
        } else if (hidden(role, visibility)) {
          expect(seen).toEqual([visibility, role, 200, '3', ['imported', 'joined']]);
        } else {
          expect(seen).toEqual([visibility, role, 200, '6', ['imported', 'deleted']]);
        }
      }
    }
    const guest = await list(cast.people.guest, cast.projects[0], '?per_page=2&page=2');
    expect(guest.events.map(({ action_name }) => action_name)).toEqual(['created']);
  });

  it('sorts by the order of recording, independent of the clock', async () => {
    const project = await trellis.factories.project(owner);
    await record(project.id, owner.user.id, ['joined', 'left']);
    await trellis.rows(
      `UPDATE events SET created_at = '2001-01-01' WHERE project_id = $1 AND action = 'left'`,
      [project.id],
    );
    const { events } = await list(owner, project);
    expect(events.map(({ action_name }) => action_name)).toEqual(['left', 'joined', 'created']);
    expect(events[0]?.created_at).toBe('2001-01-01T00:00:00.000Z');
  });

  it('names the ghost user instead of a deleted account, also in push data', async () => {
    const leaver = await trellis.factories.user();
    const { project, work } = await projects.make({ visibilityLevel: 20 });
    await trellis.factories.addToProject(project, leaver, 30);
    const theirs = await projects.checkout(project, leaver);
    await theirs.git('fetch', '--quiet', theirs.remote, 'master');
    await theirs.git('checkout', '--quiet', '-b', 'topic', 'FETCH_HEAD');
    await theirs.commit('Theirs');
    expect((await theirs.push('topic')).code).toBe(0);
    expect((await work.push('HEAD:refs/heads/mine')).code).toBe(0);
    const admin = await trellis.factories.admin();
    await trellis
      .as(admin)
      .delete(`/users/${String(leaver.user.id)}`)
      .expect(200);
    const { events } = await list(null, project);
    const [ghost] = await trellis.rows<{ id: number }>('SELECT id FROM users WHERE ghost');
    const topic = events.find(({ data }) => data?.ref === 'refs/heads/topic');
    expect(topic).toMatchObject({
      author_id: ghost?.id,
      author_username: 'ghost',
      author: { id: ghost?.id, name: 'Ghost User', username: 'ghost', avatar_url: null },
      data: { user_id: ghost?.id, user_name: 'Ghost User' },
    });
    expect(events.find(({ data }) => data?.ref === 'refs/heads/mine')).toMatchObject({
      data: { user_id: owner.user.id, user_name: owner.user.name },
    });
  });

  it('takes the same number of statements for one event as for a hundred, and no git', async () => {
    const project = await trellis.factories.project(owner);
    const path = `/projects/${String(project.id)}/events?per_page=100`;
    const measure = () => trellis.statements.during(() => trellis.as(owner).get(path).expect(200));
    const one = await measure();
    await trellis.rows(
      `INSERT INTO events (project_id, author_id, action)
       SELECT $1, users.id, 'joined' FROM users, generate_series(1, 10) LIMIT 150`,
      [project.id],
    );
    const spawned = trellis.git.spawnCount;
    const many = await measure();
    expect(many).toHaveLength(one.length);
    expect(many.length).toBeLessThanOrEqual(6);
    expect(trellis.git.spawnCount).toBe(spawned);
  });

  async function record(projectId: number, authorId: number, actions: string[]): Promise<void> {
    for (const action of actions) {
      const isPush = ['pushed new', 'pushed to', 'deleted'].includes(action);
      await trellis.rows(
        'INSERT INTO events (project_id, author_id, action, pushed_ref) VALUES ($1, $2, $3, $4)',
        [projectId, authorId, action, isPush ? JSON.stringify(PUSHED_REF) : null],
      );
    }
  }
});
