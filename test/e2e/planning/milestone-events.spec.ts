import type { MadeProject, Person } from '../../support/factories.js';
import { summaryOf } from '../../support/summaries.js';
import { Trellis } from '../../support/trellis.js';

jest.setTimeout(60_000);

interface EventBody {
  action_name: string;
  target_id: number | null;
  target_title: string | null;
}

describe('Milestones in the feeds', () => {
  let trellis: Trellis;
  let owner: Person;
  let master: Person;
  let project: MadeProject;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    owner = await trellis.factories.user({ projectsLimit: 1000 });
    master = await trellis.factories.user();
  });

  beforeEach(async () => {
    project = await trellis.factories.project(owner, { visibilityLevel: 20 });
    await trellis.factories.addToProject(project, master, 40);
  });

  const at = () => `/projects/${String(project.id)}/milestones`;
  const make = async (title: string) =>
    (await trellis.as(master).post(at(), { title }).expect(200)).body as { id: number };
  const put = (id: number, body: object) =>
    trellis
      .as(master)
      .put(`${at()}/${String(id)}`, body)
      .expect(200);
  const events = async () => {
    const path = `/projects/${String(project.id)}/events`;
    const { body } = await trellis.anonymous.get(path).expect(200);
    // The first of all is the project's own.
    return (body as EventBody[]).slice(0, -1);
  };
  const told = async () =>
    (await events()).map((event) => [event.action_name, event.target_id, event.target_title]);

  it('are opened, with all fields, for every reader of the project', async () => {
    const { id } = await make('First');
    const expected = {
      title: null,
      project_id: project.id,
      action_name: 'opened',
      target_id: id,
      target_type: 'Milestone',
      target_title: 'First',
      author_id: master.user.id,
      author_username: master.user.username,
      author: summaryOf(trellis, master),
      data: null,
      created_at: expect.any(String) as string,
    };
    expect(await events()).toEqual([expected]);
    const theirs = await trellis
      .as(owner)
      .get(`/users/${String(master.user.id)}/events`)
      .expect(200);
    expect((theirs.body as EventBody[])[0]).toEqual(expected);
  });

  it('are closed and reopened, only by effective changes', async () => {
    const { id } = await make('Old');
    await put(id, { title: 'New', description: 'Text' });
    await put(id, { state_event: 'activate' });
    await put(id, { state_event: 'close' });
    await put(id, { state_event: 'close' });
    await put(id, { state_event: 'activate', title: 'Newest' });
    expect(await told()).toEqual([
      ['opened', id, 'Newest'],
      ['closed', id, 'Newest'],
      ['opened', id, 'Newest'],
    ]);
  });

  it('are destroyed, and their earlier events lose the title', async () => {
    const { id } = await make('Gone');
    await trellis
      .as(master)
      .delete(`${at()}/${String(id)}`)
      .expect(200);
    expect(await events()).toMatchObject([
      { action_name: 'destroyed', target_id: null, target_type: 'Milestone', target_title: null },
      { action_name: 'opened', target_id: id, target_type: 'Milestone', target_title: null },
    ]);
  });

  it('are recorded once for concurrent requests', async () => {
    const { id } = await make('Raced');
    await Promise.all(Array.from({ length: 6 }, () => put(id, { state_event: 'close' })));
    expect(await told()).toEqual([
      ['closed', id, 'Raced'],
      ['opened', id, 'Raced'],
    ]);
  });

  it('update the last activity of the project, except for refused requests', async () => {
    const activity = async () => {
      const [row] = await trellis.rows<{ at: Date }>(
        'SELECT last_activity_at AS at FROM projects WHERE id = $1',
        [project.id],
      );
      return row!.at;
    };
    const before = await activity();
    await make('First');
    const after = await activity();
    expect(after > before).toBe(true);
    await trellis.as(master).post(at(), { title: 'First' }).expect(400);
    expect(await activity()).toEqual(after);
    expect(await told()).toHaveLength(1);
  });
});
