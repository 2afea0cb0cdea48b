import { type Cast, makeCast, type Role } from '../../support/cast.js';
import type { MadeProject, Person } from '../../support/factories.js';
import { type IssueBody, openIssue, pathOf } from '../../support/issues.js';
import { comment, type NoteBody, notePath, notesOf, switchIssues } from '../../support/notes.js';
import { Trellis } from '../../support/trellis.js';

jest.setTimeout(120_000);

/** Who reads the confidential issues of a project as one of its members. */
const TRUSTED = new Set<Role>([
  ...(['reporter', 'developer', 'master', 'owner', 'admin'] as const),
  ...(['externalMember', 'groupMember'] as const),
]);

describe('Notes with limited readers', () => {
  let trellis: Trellis;
  let cast: Cast;
  let project: MadeProject;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    cast = await makeCast(trellis);
    project = cast.projects[20];
  });

  const person = (role: Role) => cast.people[role] as Person;
  // The weakest of the trusted and the strongest of the others; the author and the assignee are a stranger and a guest.
  const readers = [
    ...(['stranger', 'external', 'formerMember', 'guest', 'groupGuest'] as const),
    ...(['reporter', 'groupMember', 'externalMember'] as const),
  ];

  describe('are on a confidential issue', () => {
    let issue: IssueBody;
    let note: NoteBody;

    beforeAll(async () => {
      issue = await openIssue(trellis, person('stranger'), project, { confidential: true });
      const change = { assignee_id: person('guest').user.id };
      await trellis.as(person('owner')).put(pathOf(issue), change).expect(200);
      note = await comment(trellis, person('stranger'), issue);
    });

    it.each(readers)('and shown to %s according to access to the issue', async (role) => {
      const client = trellis.as(person(role));
      const isReader = TRUSTED.has(role) || role === 'stranger' || role === 'guest';
      const list = await client.get(notesOf(issue));
      const calls = [
        await client.get(notePath(issue, note)),
        await client.post(notesOf(issue), { body: `of ${role}` }),
      ];
      expect([list, ...calls].map(({ status }) => status)).toEqual(
        Array.from({ length: 3 }, () => (isReader ? 200 : 404)),
      );
      if (isReader) return;
      expect(list.body).toEqual({ message: '404 Notes Not Found' });
      calls.push(
        await client.put(notePath(issue, note), { body: 'x' }),
        await client.delete(notePath(issue, note)),
      );
      for (const { status, body } of calls) {
        expect([status, body]).toEqual([404, { message: '404 Note Not Found' }]);
      }
      const awards = [
        await client.get(`${pathOf(issue)}/award_emoji`),
        await client.get(`${notePath(issue, note)}/award_emoji`),
        await client.post(`${pathOf(issue)}/award_emoji`, { name: 'tada' }),
        await client.post(`${notePath(issue, note)}/award_emoji`, { name: 'tada' }),
      ];
      for (const { status, body } of awards) {
        expect([status, body]).toEqual([404, { message: '404 Award Emoji Not Found' }]);
      }
    });

    it('and not found by their author after the loss of access', async () => {
      const open = await openIssue(trellis, person('owner'), project);
      const theirs = await comment(trellis, person('stranger'), open);
      await trellis.as(person('owner')).put(pathOf(open), { confidential: true }).expect(200);
      await trellis.as(person('stranger')).put(notePath(open, theirs), { body: 'x' }).expect(404);
      await trellis.as(person('stranger')).delete(notePath(open, theirs)).expect(404);
    });
  });

  describe('announce a mention', () => {
    let target: IssueBody;
    const told = async (role: Role) => {
      const { body, headers } = await trellis
        .as(person(role))
        .get(`${notesOf(target)}?per_page=100`)
        .expect(200);
      const total = Number((headers as Record<string, string>)['x-total']);
      return { total, bodies: (body as NoteBody[]).map((note) => note.body) };
    };
    const reference = () => `${project.fullPath}#${String(target.iid)}`;
    const mentionIn = (home: MadeProject, body: object = {}) =>
      openIssue(trellis, person('owner'), home, { description: `see ${reference()}`, ...body });

    beforeEach(async () => {
      target = await openIssue(trellis, person('owner'), project);
      await comment(trellis, person('owner'), target, 'Hello');
    });

    it('in a confidential issue, and are left out of pages but not of totals', async () => {
      const origin = await mentionIn(project, { confidential: true });
      const mention = `mentioned in issue #${String(origin.iid)}`;
      for (const role of readers) {
        const isReader = TRUSTED.has(role);
        expect([role, await told(role)]).toEqual([
          role,
          { total: 2, bodies: isReader ? ['Hello', mention] : ['Hello'] },
        ]);
      }
      const [, note] = (await trellis.as(person('owner')).get(notesOf(target)).expect(200))
        .body as [NoteBody, NoteBody];
      await trellis.as(person('reporter')).get(notePath(target, note)).expect(200);
      const client = trellis.as(person('stranger'));
      for (const call of [
        client.get(notePath(target, note)),
        client.put(notePath(target, note), { body: 'x' }),
        client.delete(notePath(target, note)),
        client.get(`${notePath(target, note)}/award_emoji`),
      ]) {
        const { body } = await call.expect(404);
        expect(body).toEqual({ message: '404 Not found' });
      }
      await trellis.as(person('owner')).put(pathOf(origin), { confidential: false }).expect(200);
      expect((await told('stranger')).bodies).toEqual(['Hello', mention]);
    });

    it('in another project, for readers of that project', async () => {
      const origin = await mentionIn(cast.projects[0]);
      const mention = `mentioned in issue ${cast.projects[0].path}#${String(origin.iid)}`;
      expect((await told('guest')).bodies).toEqual(['Hello', mention]);
      for (const role of ['stranger', 'external', 'formerMember'] as const) {
        expect(await told(role)).toEqual({ total: 2, bodies: ['Hello'] });
      }
      await switchIssues(trellis, cast.projects[0], false);
      expect((await told('owner')).bodies).toEqual(['Hello']);
      await switchIssues(trellis, cast.projects[0], true);
      await trellis.as(person('owner')).delete(pathOf(origin)).expect(200);
      expect((await told('owner')).bodies).toEqual(['Hello']);
    });

    it('in a commit, for readers of the code of that project', async () => {
      const sha = 'a'.repeat(40);
      await trellis.rows(
        `INSERT INTO notes (project_id, noteable_type, noteable_id, author_id, body, system,
                            origin_type, origin_project_id, origin_sha)
         VALUES ($1, 'Issue', $2, $3, 'mentioned in commit', true, 'Commit', $4, $5)`,
        [project.id, target.id, person('owner').user.id, cast.projects[0].id, sha],
      );
      for (const role of readers) {
        const { bodies } = await told(role);
        expect([role, bodies.length]).toEqual([role, TRUSTED.has(role) ? 2 : 1]);
      }
      await trellis.rows('UPDATE projects SET deleted_at = now() WHERE id = $1', [
        cast.projects[0].id,
      ]);
      expect((await told('admin')).bodies).toEqual(['Hello']);
    });
  });
});
