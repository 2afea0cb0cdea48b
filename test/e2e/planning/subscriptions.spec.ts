import { type MadeProject, type Person } from '../../support/factories.js';
import { Trellis } from '../../support/trellis.js';

jest.setTimeout(60_000);

interface IssueBody {
  id: number;
  subscribed: boolean;
}

describe('A subscription to an issue', () => {
  let trellis: Trellis;
  let owner: Person;
  let reader: Person;
  let project: MadeProject;
  let issue: IssueBody;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    owner = await trellis.factories.user({ projectsLimit: 1000 });
    project = await trellis.factories.project(owner, { visibilityLevel: 20 });
  });

  const issues = () => `/projects/${String(project.id)}/issues`;
  const path = () => `${issues()}/${String(issue.id)}`;
  const isSubscribed = async (person: Person) => {
    const { body } = await trellis.as(person).get(path()).expect(200);
    const listed = await trellis.as(person).get(issues()).expect(200);
    const same = (listed.body as IssueBody[]).find(({ id }) => id === issue.id);
    expect(same?.subscribed).toBe((body as IssueBody).subscribed);
    return (body as IssueBody).subscribed;
  };
  const choose = async (verb: 'post' | 'delete', person = reader) => {
    const { status, body } = await trellis.as(person)[verb](`${path()}/subscription`);
    if (status === 200) expect(body).toMatchObject({ id: issue.id, subscribed: verb === 'post' });
    return status;
  };

  beforeEach(async () => {
    reader = await trellis.factories.user();
    const made = await trellis.as(owner).post(issues(), { title: 'Issue' }).expect(200);
    issue = made.body as IssueBody;
  });

  it('starts and ends by the endpoints', async () => {
    expect(await isSubscribed(reader)).toBe(false);
    expect(await choose('delete')).toBe(304);
    expect(await choose('post')).toBe(200);
    expect(await choose('post')).toBe(304);
    expect(await isSubscribed(reader)).toBe(true);
    expect(await isSubscribed(await trellis.factories.user())).toBe(false);
    expect(await choose('delete')).toBe(200);
    expect(await choose('delete')).toBe(304);
    expect(await isSubscribed(reader)).toBe(false);
  });

  /** What makes a user a participant, as it is recorded. */
  const participations: [string, () => Promise<unknown>][] = [
    [
      'is given the issue',
      () => trellis.as(owner).put(path(), { assignee_id: reader.user.id }).expect(200),
    ],
    [
      'comments on it',
      () => trellis.as(reader).post(`${path()}/notes`, { body: 'A comment' }).expect(200),
    ],
    [
      'is mentioned in its description',
      () =>
        trellis
          .as(owner)
          .put(path(), { description: `For @${reader.user.username}` })
          .expect(200),
    ],
    [
      'is mentioned in a comment',
      () =>
        trellis
          .as(owner)
          .post(`${path()}/notes`, { body: `@${reader.user.username}?` })
          .expect(200),
    ],
    [
      'gives it an award',
      () => trellis.as(reader).post(`${path()}/award_emoji`, { name: 'tada' }).expect(200),
    ],
  ];

  it.each(participations)(
    'exists for a user who %s, until they unsubscribe',
    async (_, participate) => {
      await participate();
      expect(await isSubscribed(reader)).toBe(true);
      expect(await choose('post')).toBe(304);
      expect(await choose('delete')).toBe(200);
      expect(await isSubscribed(reader)).toBe(false);
      expect(await choose('delete')).toBe(304);
      expect(await choose('post')).toBe(200);
      expect(await isSubscribed(reader)).toBe(true);
    },
  );

  it('exists for its author until they unsubscribe, also after later notes', async () => {
    expect(await isSubscribed(owner)).toBe(true);
    expect(await choose('post', owner)).toBe(304);
    expect(await choose('delete', owner)).toBe(200);
    await trellis.as(owner).post(`${path()}/notes`, { body: 'Mine' }).expect(200);
    expect(await isSubscribed(owner)).toBe(false);
  });

  it('is not created by system notes', async () => {
    const reporter = await trellis.factories.user();
    await trellis.factories.addToProject(project, reporter, 20);
    await trellis.as(reporter).put(path(), { title: 'Changed' }).expect(200);
    const notes = await trellis.rows(
      'SELECT 1 FROM notes WHERE noteable_id = $1 AND author_id = $2 AND system',
      [issue.id, reporter.user.id],
    );
    expect(notes).toHaveLength(1);
    expect(await isSubscribed(reporter)).toBe(false);
  });

  it('starts once for concurrent calls', async () => {
    for (const verb of ['post', 'delete', 'post'] as const) {
      const statuses = await Promise.all(Array.from({ length: 8 }, () => choose(verb)));
      expect(statuses.sort()).toEqual([200, ...Array.from({ length: 7 }, () => 304)]);
    }
  });

  it('takes the same number of statements in lists of any size', async () => {
    const list = () => trellis.as(reader).get(`${issues()}?per_page=100`).expect(200);
    const few = await trellis.statements.during(list);
    for (let count = 0; count < 5; count += 1) {
      await trellis.as(owner).post(issues(), { title: 'Issue' }).expect(200);
    }
    expect(await trellis.statements.during(list)).toHaveLength(few.length);
  });
});
