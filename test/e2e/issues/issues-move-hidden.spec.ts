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

describe('references of an issue that moves out of a private project', () => {
  let trellis: Trellis;
  let owner: Person;
  /** Sees the project that the issue comes from. */
  let insider: Person;
  /** A developer of the new project who does not. */
  let outsider: Person;
  let here: MadeProject;
  let there: MadeProject;
  let path: string;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    owner = await trellis.factories.user({ projectsLimit: 1000 });
    insider = await trellis.factories.user();
    outsider = await trellis.factories.user();
  });

  beforeEach(async () => {
    here = await trellis.factories.project(owner, { visibilityLevel: 0 });
    there = await trellis.factories.project(owner, { visibilityLevel: 0 });
    path = here.fullPath;
    await trellis.factories.addToProject(here, insider, 30);
    for (const person of [insider, outsider]) {
      await trellis.factories.addToProject(there, person, 40);
    }
  });

  const comment = (issue: IssueBody, body: string, by = owner) =>
    trellis
      .as(by)
      .post(`${pathOf(issue)}/notes`, { body })
      .expect(200);
  const moved = async (body: object, notes: string[] = []) => {
    const issue = await openIssue(trellis, owner, here, body);
    for (const note of notes) await comment(issue, note);
    const target = { to_project_id: there.id };
    const answer = await trellis
      .as(owner)
      .post(`${pathOf(issue)}/move`, target)
      .expect(200);
    return answer.body as IssueBody;
  };
  const read = async (issue: IssueBody, by: Person) =>
    (await trellis.as(by).get(pathOf(issue)).expect(200)).body as IssueBody;
  const described = async (issue: IssueBody, by: Person) => (await read(issue, by)).description;
  const notesOf = async (issue: IssueBody, by: Person) => {
    const { body } = await trellis
      .as(by)
      .get(`${pathOf(issue)}/notes`)
      .expect(200);
    return (body as NoteBody[]).filter(({ system }) => !system);
  };

  it('are shown to those who see that project, and to others as they were written', async () => {
    const issue = await moved({ description: 'See #7, not `#8`' }, ['And !4', 'Or none']);
    for (const person of [owner, insider]) {
      expect(await described(issue, person)).toBe(`See ${path}#7, not \`#8\``);
      expect((await notesOf(issue, person)).map(({ body }) => body)).toEqual([
        `And ${path}!4`,
        'Or none',
      ]);
    }
    expect(await described(issue, outsider)).toBe('See \\#7, not `#8`');
    const notes = await notesOf(issue, outsider);
    expect(notes.map(({ body }) => body)).toEqual(['And \\!4', 'Or none']);
    const [first] = notes;
    const { body: note } = await trellis
      .as(outsider)
      .get(`${pathOf(issue)}/notes/${String(first?.id)}`)
      .expect(200);
    expect((note as NoteBody).body).toBe('And \\!4');
    const { body: list } = await trellis.as(outsider).get(issuesOf(there)).expect(200);
    expect(list as IssueBody[]).toMatchObject([{ description: 'See \\#7, not `#8`' }]);
  });

  it('stay as their author wrote them where the author named the project', async () => {
    const issue = await moved({ description: `${path}#1 and #2` });
    expect(await described(issue, outsider)).toBe(`${path}#1 and \\#2`);
  });

  it('are hidden from no one any more when the project is opened, and from all when it is gone', async () => {
    const issue = await moved({ description: '#7' });
    const project = trellis.as(owner);
    await project.put(`/projects/${String(here.id)}`, { visibility_level: 10 }).expect(200);
    expect(await described(issue, outsider)).toBe(`${path}#7`);
    await project.delete(`/projects/${String(here.id)}`).expect(200);
    expect(await described(issue, insider)).toBe('\\#7');
  });

  it('survive a change by somebody who does not see them', async () => {
    const issue = await moved({ description: 'See #7' }, ['And #8']);
    const change = { description: 'See \\#7 soon' };
    const { body } = await trellis.as(outsider).put(pathOf(issue), change).expect(200);
    expect((body as IssueBody).description).toBe('See \\#7 soon');
    expect(await described(issue, insider)).toBe(`See ${path}#7 soon`);
    const [note] = await notesOf(issue, outsider);
    const notePath = `${pathOf(issue)}/notes/${String(note?.id)}`;
    const { body: rewritten } = await trellis
      .as(outsider)
      .put(notePath, { body: 'And \\#8 soon' })
      .expect(200);
    expect((rewritten as NoteBody).body).toBe('And \\#8 soon');
    expect((await notesOf(issue, insider))[0]?.body).toBe(`And ${path}#8 soon`);
  });

  it('stay hidden after a change by somebody who sees them', async () => {
    const issue = await moved({ description: 'See #7 and #9' }, ['And #8']);
    const change = { description: `Do see ${path}#7, and ${path}#9 too` };
    await trellis.as(insider).put(pathOf(issue), change).expect(200);
    expect(await described(issue, outsider)).toBe('Do see \\#7, and \\#9 too');
    const [note] = await notesOf(issue, insider);
    await trellis
      .as(insider)
      .put(`${pathOf(issue)}/notes/${String(note?.id)}`, { body: `Now ${path}#8` })
      .expect(200);
    expect((await notesOf(issue, outsider))[0]?.body).toBe('Now \\#8');
  });

  it('are hidden in todos', async () => {
    const issue = await moved({ description: 'See #7' }, ['And #8']);
    const [note] = await notesOf(issue, owner);
    const mention = `And ${path}#8, @${outsider.user.username} @${insider.user.username}`;
    await trellis
      .as(owner)
      .put(`${pathOf(issue)}/notes/${String(note?.id)}`, { body: mention })
      .expect(200);
    const [hidden] = await todosOf(trellis, outsider);
    expect(hidden?.body).toContain('And \\#8,');
    expect(hidden?.target.description).toBe('See \\#7');
    const [shown] = await todosOf(trellis, insider);
    expect(shown?.body).toBe(mention);
    expect(shown?.target.description).toBe(`See ${path}#7`);
  });

  it('are hidden from hooks unless everybody sees the project', async () => {
    const flags = { issues_events: true, note_events: true };
    const hook = await QueueingHook.ofProject(trellis, owner, there, flags);
    const issue = await moved({ description: 'See #7' }, ['And #8']);
    const opened = await hook.queuedPayload();
    expect(opened).toMatchObject({ object_attributes: { description: 'See \\#7' } });
    await comment(issue, 'New');
    expect(await hook.queuedPayload()).toMatchObject({ issue: { description: 'See \\#7' } });
    const test = `/projects/${String(there.id)}/hooks/${String(hook.id)}/test`;
    await trellis.as(owner).delete(`${pathOf(issue)}/notes/${String((await newest(issue)).id)}`);
    await trellis.as(owner).post(test, { event: 'note' }).expect(200);
    expect(await hook.queuedPayload()).toMatchObject({ object_attributes: { note: 'And \\#8' } });
    await trellis
      .as(owner)
      .put(`/projects/${String(here.id)}`, { visibility_level: 20 })
      .expect(200);
    await trellis.as(owner).put(pathOf(issue), { title: 'Renamed' }).expect(200);
    expect(await hook.queuedPayload()).toMatchObject({
      object_attributes: { description: `See ${path}#7` },
    });
  });

  it('are in no feed of the new project', async () => {
    await moved({ description: 'See #7' }, ['And #8']);
    const { text } = await trellis
      .as(outsider)
      .get(`/projects/${String(there.id)}/events`)
      .expect(200);
    expect(text).not.toContain(path);
    expect(text).not.toContain('#8');
  });

  it('are hidden by each of the projects that an issue has been in', async () => {
    const last = await trellis.factories.project(owner, { visibilityLevel: 0 });
    for (const person of [insider, outsider]) {
      await trellis.factories.addToProject(last, person, 20);
    }
    const issue = await moved({ description: '#7' });
    await trellis
      .as(owner)
      .put(pathOf(issue), { description: `${path}#7 and #9` })
      .expect(200);
    const { body } = await trellis
      .as(owner)
      .post(`${pathOf(issue)}/move`, { to_project_id: last.id })
      .expect(200);
    const between = there.fullPath;
    expect(await described(body as IssueBody, insider)).toBe(`${path}#7 and ${between}#9`);
    expect(await described(body as IssueBody, outsider)).toBe(`\\#7 and ${between}#9`);
  });

  const newest = async (issue: IssueBody) => (await notesOf(issue, owner)).at(-1) as NoteBody;
});
