import type { MadeProject, Person } from '../../support/factories.js';
import { QueueingHook } from '../../support/hooks.js';
import { type IssueBody, issuesOf, openIssue, pathOf } from '../../support/issues.js';
import { todosOf } from '../../support/todos.js';
import { Trellis } from '../../support/trellis.js';

jest.setTimeout(120_000);

interface NoteBody {
  id: number;
  body: string;
  system: boolean;
}

describe('references of an issue that moves', () => {
  let trellis: Trellis;
  let owner: Person;
  /** A developer of the target project who does not see private projects of the owner. */
  let outsider: Person;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    owner = await trellis.factories.user({ projectsLimit: 1000 });
    outsider = await trellis.factories.user();
  });

  const projectWith = (visibilityLevel: number): Promise<MadeProject> =>
    trellis.factories.project(owner, { visibilityLevel });
  const comment = (issue: IssueBody, body: string) =>
    trellis
      .as(owner)
      .post(`${pathOf(issue)}/notes`, { body })
      .expect(200);
  const move = async (issue: IssueBody, target: MadeProject) => {
    const answer = await trellis
      .as(owner)
      .post(`${pathOf(issue)}/move`, { to_project_id: target.id })
      .expect(200);
    return answer.body as IssueBody;
  };
  const described = async (issue: IssueBody, by: Person) => {
    const { body } = await trellis.as(by).get(pathOf(issue)).expect(200);
    return (body as IssueBody).description;
  };
  const notesOf = async (issue: IssueBody, by: Person) => {
    const { body } = await trellis
      .as(by)
      .get(`${pathOf(issue)}/notes`)
      .expect(200);
    return (body as NoteBody[]).filter(({ system }) => !system);
  };

  it.each([
    ['public', 20, 'public', 20],
    ['public', 20, 'private', 0],
    ['internal', 10, 'internal', 10],
    ['internal', 10, 'private', 0],
    ['private', 0, 'private', 0],
  ])('get the path of a source that is %s (%i) in a %s project (%i)', async (_, from, __, to) => {
    const [source, target] = [await projectWith(from), await projectWith(to)];
    await trellis.factories.addToProject(target, outsider, 30);
    const issue = await openIssue(trellis, owner, source, { description: 'See #7, not `#8`' });
    await comment(issue, 'And !4');
    const copy = await move(issue, target);
    const path = source.fullPath;
    expect(copy.description).toBe(`See ${path}#7, not \`#8\``);
    for (const reader of [owner, outsider]) {
      expect(await described(copy, reader)).toBe(`See ${path}#7, not \`#8\``);
      expect((await notesOf(copy, reader)).map(({ body }) => body)).toEqual([`And ${path}!4`]);
    }
  });

  it.each([
    ['internal', 10, 'public', 20],
    ['private', 0, 'internal', 10],
    ['private', 0, 'public', 20],
  ])('are escaped where the source is %s (%i) and the target %s (%i)', async (_, from, __, to) => {
    const [source, target] = [await projectWith(from), await projectWith(to)];
    const issue = await openIssue(trellis, owner, source, { description: 'See #7, not `#8`' });
    await comment(issue, 'And !4');
    const copy = await move(issue, target);
    for (const reader of [owner, outsider]) {
      expect(await described(copy, reader)).toBe('See \\#7, not `#8`');
      expect((await notesOf(copy, reader)).map(({ body }) => body)).toEqual(['And \\!4']);
    }
  });

  describe('from a private project to a public one', () => {
    let here: MadeProject;
    let there: MadeProject;

    beforeEach(async () => {
      [here, there] = [await projectWith(0), await projectWith(20)];
      await trellis.factories.addToProject(there, outsider, 40);
    });

    it('keep the path where the author named the project', async () => {
      const description = `${here.fullPath}#1 and #2`;
      const copy = await move(await openIssue(trellis, owner, here, { description }), there);
      expect(await described(copy, outsider)).toBe(`${here.fullPath}#1 and \\#2`);
    });

    it('name the private project in no list, todo, feed and hook of the target', async () => {
      const flags = { issues_events: true, note_events: true };
      const hook = await QueueingHook.ofProject(trellis, owner, there, flags);
      const issue = await openIssue(trellis, owner, here, { description: 'See #7' });
      await comment(issue, 'And #8');
      const copy = await move(issue, there);
      expect(await hook.queuedPayload()).toMatchObject({
        object_attributes: { description: 'See \\#7' },
      });
      const [note] = await notesOf(copy, owner);
      const body = `And \\#8, @${outsider.user.username}`;
      await trellis
        .as(owner)
        .put(`${pathOf(copy)}/notes/${String(note?.id)}`, { body })
        .expect(200);
      expect(await todosOf(trellis, outsider)).toMatchObject([
        { body, target: { description: 'See \\#7' } },
      ]);
      for (const path of [issuesOf(there), `/projects/${String(there.id)}/events`]) {
        const { text } = await trellis.as(outsider).get(path).expect(200);
        expect(text).not.toContain(here.fullPath);
      }
    });

    it('mention nothing in the target when the text is changed', async () => {
      const first = await openIssue(trellis, owner, there);
      const description = `See #${String(first.iid)}`;
      const copy = await move(await openIssue(trellis, owner, here, { description }), there);
      const change = { description: `${String(await described(copy, owner))}, soon` };
      await trellis.as(owner).put(pathOf(copy), change).expect(200);
      const { body } = await trellis
        .as(owner)
        .get(`${pathOf(first)}/notes`)
        .expect(200);
      expect(body).toEqual([]);
    });
  });

  it('keep the path of a source that becomes private, and of one that is deleted', async () => {
    const [source, target] = [await projectWith(20), await projectWith(20)];
    const copy = await move(await openIssue(trellis, owner, source, { description: '#7' }), target);
    const client = trellis.as(owner);
    const path = `/projects/${String(source.id)}`;
    await client.put(path, { visibility_level: 0 }).expect(200);
    expect(await described(copy, outsider)).toBe(`${source.fullPath}#7`);
    await client.delete(path).expect(200);
    expect(await described(copy, outsider)).toBe(`${source.fullPath}#7`);
  });

  it('keep the path of each project that an issue has been in', async () => {
    const [first, second, last] = [
      await projectWith(20),
      await projectWith(20),
      await projectWith(0),
    ];
    const copy = await move(await openIssue(trellis, owner, first, { description: '#7' }), second);
    const description = `${first.fullPath}#7 and #9`;
    await trellis.as(owner).put(pathOf(copy), { description }).expect(200);
    const moved = await move(copy, last);
    expect(moved.description).toBe(`${first.fullPath}#7 and ${second.fullPath}#9`);
  });
});
