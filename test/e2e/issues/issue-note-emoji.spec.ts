import type { MadeProject, Person } from '../../support/factories.js';
import { type IssueBody, openIssue, pathOf, TIMESTAMP } from '../../support/issues.js';
import { award, comment, type NoteBody, notesOf, readIssue } from '../../support/notes.js';
import { summaryOf } from '../../support/summaries.js';
import { Trellis } from '../../support/trellis.js';

jest.setTimeout(60_000);

describe('Notes on issues that are one emoji', () => {
  let trellis: Trellis;
  let owner: Person;
  let guest: Person;
  let project: MadeProject;
  let issue: IssueBody;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    owner = await trellis.factories.user();
    guest = await trellis.factories.user();
    project = await trellis.factories.project(owner, { visibilityLevel: 20 });
  });

  beforeEach(async () => {
    issue = await openIssue(trellis, owner, project);
  });

  const bodies = async () => {
    const { body } = await trellis.as(guest).get(notesOf(issue)).expect(200);
    return (body as NoteBody[]).map((note) => note.body);
  };

  it('become an award of the issue', async () => {
    const input = { body: ' :+1:\n' };
    const { body } = await trellis.as(guest).post(notesOf(issue), input).expect(200);
    const expected = {
      id: expect.any(Number) as number,
      name: 'thumbsup',
      user: summaryOf(trellis, guest),
      created_at: TIMESTAMP,
      updated_at: TIMESTAMP,
      awardable_id: issue.id,
      awardable_type: 'Issue',
    };
    expect(body).toEqual(expected);
    const again = await trellis.as(guest).post(notesOf(issue), { body: ':thumbsup:' });
    expect([again.status, again.body]).toEqual([200, body]);
    expect(await bodies()).toEqual([]);
    expect(await readIssue(trellis, guest, issue)).toMatchObject({
      ...{ upvotes: 1, user_notes_count: 0 },
    });
  });

  it('stay notes as votes on the author’s own issue, and for unknown emoji', async () => {
    const texts = [':thumbsup:', ':-1:', ':no_such_emoji:', ':tada: :tada:', ':tada:!'];
    for (const text of texts) await comment(trellis, owner, issue, text);
    expect(await bodies()).toEqual(texts);
    const { body } = await trellis.as(owner).post(notesOf(issue), { body: ':tada:' }).expect(200);
    expect(body).toMatchObject({ name: 'tada', awardable_id: issue.id });
    expect(await award(trellis, guest, pathOf(issue), 'tada')).toBeDefined();
  });
});
