import { type Cast, makeCast } from '../../support/cast.js';
import type { MadeProject, Person } from '../../support/factories.js';
import { addMergeRequests } from '../../support/merge-request-rows.js';
import { Trellis } from '../../support/trellis.js';

jest.setTimeout(120_000);

describe.each([
  ['issues', 'issue', 'reporter', 'guest'],
  ['merge_requests', 'merge request', 'developer', 'reporter'],
] as const)('the locked discussion of %s', (kind, noun, least, tooLow) => {
  let trellis: Trellis;
  let cast: Cast;
  let project: MadeProject;
  let path: string;
  /** Not a member, and the author of the issue or merge request, with a note. */
  let stranger: Person;
  let noteId: number;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    cast = await makeCast(trellis);
  });

  beforeEach(async () => {
    stranger = await trellis.factories.user();
    const owner = cast.people.owner as Person;
    project = await trellis.factories.project(owner, { visibilityLevel: 20 });
    for (const [name, level] of [
      ['guest', 10],
      ['reporter', 20],
      ['developer', 30],
    ] as const) {
      await trellis.factories.addToProject(project, role(name), level);
    }
    const all = `/projects/${String(project.id)}/${kind}`;
    if (kind === 'issues') {
      await v4(stranger).post(all, { title: 'Asks' }).expect(201);
    } else {
      await addMergeRequests(trellis, project, [{ authorId: stranger.user.id }]);
    }
    path = `${all}/1`;
    const { body } = await v4(stranger).post(`${path}/notes`, { body: 'Please' }).expect(201);
    noteId = (body as { id: number }).id;
  });

  const v4 = (person: Person) => trellis.as(person).v4;
  const role = (name: 'guest' | 'reporter' | 'developer' | 'owner') => cast.people[name] as Person;
  const lock = (person: Person, locked: boolean) =>
    v4(person).put(path, { discussion_locked: locked });
  const texts = async (): Promise<string[]> => {
    const { body } = await v4(role('owner')).get(`${path}/notes?sort=asc`).expect(200);
    return (body as { body: string }[]).map((note) => note.body);
  };

  it('takes notes of members only', async () => {
    expect((await lock(role(least), true).expect(200)).body).toMatchObject({
      discussion_locked: true,
    });
    await v4(stranger).post(`${path}/notes`, { body: 'Hello?' }).expect(403);
    await v4(stranger).post(`${path}/discussions`, { body: 'Hello?' }).expect(403);
    await v4(stranger)
      .put(`${path}/notes/${String(noteId)}`, { body: 'Pretty please' })
      .expect(403);
    await v4(stranger)
      .delete(`${path}/notes/${String(noteId)}`)
      .expect(403);
    await v4(role('reporter')).post(`${path}/notes`, { body: 'Locked for now' }).expect(201);
    expect(await texts()).toEqual(['Please', `locked this ${noun}`, 'Locked for now']);
  });

  it('takes notes of strangers again once it is unlocked', async () => {
    await lock(role(least), true).expect(200);
    await lock(role(least), false).expect(200);
    await lock(role(least), false).expect(200);
    await v4(stranger).post(`${path}/notes`, { body: 'Thanks' }).expect(201);
    expect(await texts()).toEqual([
      'Please',
      `locked this ${noun}`,
      `unlocked this ${noun}`,
      'Thanks',
    ]);
  });

  it('binds version 3 as well', async () => {
    await lock(role(least), true).expect(200);
    const { body } = await v4(stranger).get(path).expect(200);
    const { id } = body as { id: number };
    const old = `/projects/${String(project.id)}/${kind}/${String(id)}/notes`;
    await trellis.as(stranger).post(old, { body: 'Hello?' }).expect(403);
    await trellis.as(role('reporter')).post(old, { body: 'Locked' }).expect(200);
  });

  it('is not locked by its author, nor below the least level', async () => {
    for (const person of [stranger, role(tooLow)]) {
      const { status } = await lock(person, true);
      // Authors may edit; what they may not set is ignored.
      expect(status).toBe(person === stranger ? 200 : 403);
    }
    const { body } = await v4(role('owner')).get(path).expect(200);
    expect(body).toMatchObject({ discussion_locked: null });
  });
});
