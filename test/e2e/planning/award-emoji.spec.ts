import { AccountErasure } from '../../../src/modules/users/index.js';
import { expectByRole } from '../../support/by-role.js';
import { type Cast, makeCast, type Role } from '../../support/cast.js';
import type { Client } from '../../support/client.js';
import type { MadeProject, Person } from '../../support/factories.js';
import { type IssueBody, openIssue, pathOf, TIMESTAMP, todosFor } from '../../support/issues.js';
import {
  award,
  type AwardBody,
  comment,
  notePath,
  readIssue,
  switchIssues,
} from '../../support/notes.js';
import { summaryOf } from '../../support/summaries.js';
import { Trellis } from '../../support/trellis.js';

jest.setTimeout(120_000);

const NOT_FOUND = { message: '404 Award Emoji Not Found' };
const UNKNOWN = ['', ' ', 'no_such_emoji', ':tada:', 'Tada', '👍', 'x'.repeat(10_000)];

/** What emoji are awarded to here: where it is, and as which type. */
interface Awarded {
  id: number;
  path: string;
  type: string;
}

describe('Award emoji', () => {
  let trellis: Trellis;
  let cast: Cast;
  let project: MadeProject;
  let issue: IssueBody;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    cast = await makeCast(trellis);
    project = cast.projects[20];
  });

  const person = (role: Role) => cast.people[role] as Person;

  beforeEach(async () => {
    issue = await openIssue(trellis, person('owner'), project);
  });

  const onIssue = (at: IssueBody): Awarded => ({ id: at.id, path: pathOf(at), type: 'Issue' });
  const onNote = async (at: IssueBody): Promise<Awarded> => {
    const note = await comment(trellis, person('owner'), at);
    return { id: note.id, path: notePath(at, note), type: 'Note' };
  };

  /** What is the owner's. */
  describe.each([
    ['an issue', (at: IssueBody) => Promise.resolve(onIssue(at))],
    ['a note', onNote],
  ] as const)('on %s', (_, make) => {
    let subject: Awarded;
    let awards: string;

    beforeEach(async () => {
      subject = await make(issue);
      awards = `${subject.path}/award_emoji`;
    });

    const path = ({ id }: { id: number }) => `${awards}/${String(id)}`;
    const list = async () =>
      (await trellis.as(person('guest')).get(awards).expect(200)).body as AwardBody[];

    it('require a credential, a known emoji name and an existing object', async () => {
      await trellis.anonymous.get(awards).expect(401);
      await trellis.anonymous.post(awards, { name: 'tada' }).expect(401);
      await trellis.anonymous.delete(path({ id: 1 })).expect(401);
      const guest = trellis.as(person('guest'));
      for (const [input, error] of [
        [{}, 'name is missing'],
        [{ name: null }, 'name is missing'],
        [{ name: ['tada'] }, 'name is invalid'],
        [{ name: 'ta\0da' }, 'name is invalid'],
      ] as const) {
        expect((await guest.post(awards, input).expect(400)).body).toEqual({ error });
      }
      for (const name of UNKNOWN) {
        expect((await guest.post(awards, { name }).expect(404)).body).toEqual(NOT_FOUND);
      }
      const other = await openIssue(trellis, person('owner'), project);
      const elsewhere = await award(trellis, person('guest'), pathOf(other), 'tada');
      for (const { id } of [elsewhere, { id: 2_000_000_000 }]) {
        const missing = { message: '404 Not found' };
        expect((await guest.get(path({ id })).expect(404)).body).toEqual(missing);
        expect((await guest.delete(path({ id })).expect(404)).body).toEqual(missing);
      }
      const there = await openIssue(trellis, person('owner'), cast.projects[10]);
      for (const id of [there.id, 2_000_000_000]) {
        const absent = subject.path.replace(`/issues/${String(issue.id)}`, `/issues/${String(id)}`);
        const refused = await guest.post(`${absent}/award_emoji`, { name: 'tada' }).expect(404);
        expect(refused.body).toEqual(NOT_FOUND);
      }
      expect(await list()).toEqual([]);
    });

    it('are created under the main name of the emoji, listed, and read', async () => {
      const made = await award(trellis, person('guest'), subject.path, '+1');
      expect(made).toEqual({
        id: expect.any(Number) as number,
        name: 'thumbsup',
        user: summaryOf(trellis, person('guest')),
        created_at: TIMESTAMP,
        updated_at: TIMESTAMP,
        awardable_id: subject.id,
        awardable_type: subject.type,
      });
      const second = await award(trellis, person('stranger'), subject.path, 'thumbsup');
      const third = await award(trellis, person('guest'), subject.path, 'satisfied');
      expect(third).toMatchObject({ name: 'laughing' });
      expect(await list()).toEqual([made, second, third]);
      expect((await trellis.as(person('stranger')).get(path(made)).expect(200)).body).toEqual(made);
      const page = await trellis.as(person('guest')).get(`${awards}?per_page=2&page=2`).expect(200);
      expect(page.body).toEqual([third]);
      expect(page.headers).toMatchObject({ 'x-total': '3', 'x-total-pages': '2' });
    });

    it('are created once per user, also by concurrent calls', async () => {
      const calls = Array.from({ length: 6 }, (_, index) =>
        trellis.as(person('guest')).post(awards, { name: index % 2 === 0 ? 'thumbsup' : '+1' }),
      );
      const answers = await Promise.all(calls);
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 404, 404, 404, 404, 404]);
      const refused = answers.filter(({ status }) => status === 404);
      for (const { body } of refused) expect(body).toEqual(NOT_FOUND);
      expect(await list()).toHaveLength(1);
    });

    it('are refused as votes on the caller’s own object', async () => {
      const owner = trellis.as(person('owner'));
      for (const name of ['thumbsup', '+1', 'thumbsdown', '-1']) {
        expect((await owner.post(awards, { name }).expect(404)).body).toEqual(NOT_FOUND);
      }
      await award(trellis, person('owner'), subject.path, 'tada');
      expect((await list()).map(({ name }) => name)).toEqual(['tada']);
    });

    it('are deleted by their author and by administrators', async () => {
      for (const [role, status] of [
        ...(['stranger', 'reporter', 'master', 'owner'] as const).map((one) => [one, 401] as const),
        ...(['guest', 'admin'] as const).map((one) => [one, 200] as const),
      ]) {
        const made = await award(trellis, person('guest'), subject.path, 'tada');
        const answer = await trellis.as(person(role)).delete(path(made)).expect(status);
        if (status === 200) {
          expect(answer.body).toEqual(made);
          await trellis.as(person('guest')).get(path(made)).expect(404);
          await trellis.as(person(role)).delete(path(made)).expect(404);
        } else {
          expect(answer.body).toEqual({ message: '401 Unauthorized' });
          await trellis.as(person('guest')).delete(path(made)).expect(200);
        }
      }
      expect(await list()).toEqual([]);
    });

    it('are available to every reader of the project', async () => {
      const paths = new Map<number, string>();
      for (const one of Object.values(cast.projects)) {
        const made = await make(await openIssue(trellis, person('owner'), one));
        paths.set(one.id, `${made.path}/award_emoji`);
      }
      const calls: ((client: Client, path: string) => PromiseLike<{ status: number }>)[] = [
        (client, path) => client.get(path),
        (client, path) => client.post(path, { name: 'tada' }),
      ];
      for (const call of calls) {
        await expectByRole(trellis, cast, (client, { id }) => call(client, paths.get(id)!));
      }
    });

    it('return 404 where issues are disabled', async () => {
      const made = await award(trellis, person('guest'), subject.path, 'tada');
      const guest = trellis.as(person('guest'));
      await switchIssues(trellis, project, false);
      try {
        await guest.get(awards).expect(404);
        await guest.get(path(made)).expect(404);
        await guest.post(awards, { name: 'heart' }).expect(403);
        await guest.delete(path(made)).expect(403);
      } finally {
        await switchIssues(trellis, project, true);
      }
      expect(await list()).toEqual([made]);
    });

    it('take the same number of statements for any number of awards', async () => {
      const count = async () =>
        (
          await trellis.statements.during(() =>
            trellis.as(person('guest')).get(`${awards}?per_page=100`).expect(200),
          )
        ).length;
      await award(trellis, person('guest'), subject.path, 'tada');
      const one = await count();
      await trellis.rows(
        `INSERT INTO award_emoji (project_id, awardable_type, awardable_id, user_id, name)
         SELECT $1, $2, $3, id, 'tada' FROM unnest($4::int[]) id`,
        [project.id, subject.type, subject.id, await trellis.factories.crowd(60)],
      );
      expect(await count()).toBe(one);
      expect(one).toBeLessThanOrEqual(8);
    });

    it('are deleted with the account of their author', async () => {
      const gone = await trellis.factories.user();
      await award(trellis, gone, subject.path, 'tada');
      await award(trellis, person('guest'), subject.path, 'tada');
      const { steps } = trellis.app.get(AccountErasure);
      const step = steps.find(({ name }) => name === 'AwardsRepository.removeSomeOf');
      expect(await step?.run(gone.user.id, 0)).toBe(false);
      expect((await list()).map(({ user }) => user.id)).toEqual([person('guest').user.id]);
    });
  });

  it('on an issue count as votes, update it, subscribe the author and finish the todo', async () => {
    const guest = person('guest');
    await trellis
      .as(guest)
      .post(`${pathOf(issue)}/todo`)
      .expect(200);
    await trellis.rows(`UPDATE issues SET updated_at = '2020-01-01' WHERE id = $1`, [issue.id]);
    await award(trellis, guest, pathOf(issue), '+1');
    await award(trellis, guest, pathOf(issue), 'tada');
    await award(trellis, person('stranger'), pathOf(issue), 'thumbsup');
    const against = await award(trellis, person('reporter'), pathOf(issue), '-1');
    const read = await readIssue(trellis, guest, issue);
    expect(read).toMatchObject({ upvotes: 2, downvotes: 1, subscribed: true });
    expect(read.updated_at > '2020-01-02').toBe(true);
    expect(await todosFor(trellis, issue)).toMatchObject([{ action: 'marked', state: 'done' }]);
    await trellis
      .as(person('reporter'))
      .delete(`${pathOf(issue)}/award_emoji/${String(against.id)}`)
      .expect(200);
    expect(await readIssue(trellis, guest, issue)).toMatchObject({ upvotes: 2, downvotes: 0 });
  });

  it('on a note do not update the issue', async () => {
    const guest = person('guest');
    const note = await comment(trellis, person('owner'), issue);
    await trellis
      .as(guest)
      .post(`${pathOf(issue)}/todo`)
      .expect(200);
    const before = await readIssue(trellis, guest, issue);
    await award(trellis, guest, notePath(issue, note), 'thumbsup');
    expect(await readIssue(trellis, guest, issue)).toEqual(before);
    expect(await todosFor(trellis, issue)).toMatchObject([{ state: 'pending' }]);
  });

  it('are deleted with the issue', async () => {
    await award(trellis, person('guest'), pathOf(issue), 'thumbsup');
    await trellis.as(person('owner')).delete(pathOf(issue)).expect(200);
    const rows = await trellis.rows(
      `SELECT 1 FROM award_emoji WHERE awardable_type = 'Issue' AND awardable_id = $1`,
      [issue.id],
    );
    expect(rows).toEqual([]);
  });
});
