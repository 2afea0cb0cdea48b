import { AwardsRepository, NotesRepository } from '../../../src/modules/issuables/index.js';
import { UnitOfWork } from '../../../src/platform/database/index.js';
import { openIssue, pathOf } from '../../support/issues.js';
import { award, type AwardBody, type NoteBody, notePath, notesOf } from '../../support/notes.js';
import { Trellis } from '../../support/trellis.js';

jest.setTimeout(60_000);

describe('Notes and awards are copied', () => {
  let trellis: Trellis;

  beforeAll(async () => {
    trellis = await Trellis.shared();
  });

  it('in order, with authors, times and origins, for any number', async () => {
    const owner = await trellis.factories.user();
    const home = await trellis.factories.project(owner);
    const [from, origin] = [
      await openIssue(trellis, owner, home),
      await openIssue(trellis, owner, home),
    ];
    const to = await openIssue(trellis, owner, await trellis.factories.project(owner));
    await trellis.rows(
      `INSERT INTO notes (project_id, noteable_type, noteable_id, author_id, body, system,
                          origin_type, origin_project_id, origin_id, created_at, updated_at)
       SELECT $1, 'Issue', $2, author[1 + n % 3], 'Note ' || n, n = 1101,
              CASE n WHEN 1101 THEN 'Issue' END, CASE n WHEN 1101 THEN $1::int END,
              CASE n WHEN 1101 THEN $4::int END,
              timestamptz '2016-01-01' + n % 7 * interval '1 day', timestamptz '2017-01-01'
         FROM generate_series(1, 1101) n, (SELECT $3::int[] AS author) authors`,
      [home.id, from.id, await trellis.factories.crowd(3), origin.id],
    );
    const first = (await trellis.as(owner).get(`${notesOf(from)}?per_page=1`)).body as [NoteBody];
    const given = await award(trellis, owner, notePath(from, first[0]), 'tada');
    const [source, target] = [
      { type: 'Issue', id: from.id } as const,
      { type: 'Issue', id: to.id, projectId: to.project_id } as const,
    ];
    const copies = await trellis.app.get(UnitOfWork).run(async () => {
      const made = await trellis.app
        .get(NotesRepository)
        .copy(source, target, (body) => Promise.resolve(body.replace('Note', 'Copy')));
      await trellis.app.get(AwardsRepository).copy('Note', made, to.project_id);
      return made;
    });
    expect(copies).toHaveLength(1101);
    const rows = (id: number, text: string) =>
      trellis.rows(
        `SELECT replace(body, $2, '') AS text, author_id, system, origin_type, origin_project_id,
                origin_id, created_at, updated_at
           FROM notes WHERE noteable_type = 'Issue' AND noteable_id = $1 ORDER BY id`,
        [id, text],
      );
    expect(await rows(to.id, 'Copy')).toEqual(await rows(from.id, 'Note'));
    const [copy] = (
      await trellis
        .as(owner)
        .get(`${notesOf(to)}?per_page=1`)
        .expect(200)
    ).body as [NoteBody];
    expect(copy.body).toBe('Copy 1');
    expect(copies[0]).toEqual({ from: first[0].id, to: copy.id });
    const awards = await trellis
      .as(owner)
      .get(`${notePath(to, copy)}/award_emoji`)
      .expect(200);
    const [copied] = awards.body as [AwardBody];
    expect(awards.body).toEqual([{ ...given, id: copied.id, awardable_id: copy.id }]);
    expect(
      (
        await trellis
          .as(owner)
          .get(`${pathOf(to)}/award_emoji`)
          .expect(200)
      ).body,
    ).toEqual([]);
  });
});
