import { GROUP_MENTIONS_PER_TEXT } from '../../../src/modules/issuables/notes/text-reference-recorder.js';
import { REFERENCES_PER_TEXT } from '../../../src/modules/issuables/references/reference-resolver.js';
import type { MadeProject, Person } from '../../support/factories.js';
import { addIssues } from '../../support/issue-rows.js';
import { type IssueBody, openIssue, pathOf, systemNotes, todosFor } from '../../support/issues.js';
import { reasonsOf } from '../../support/todos.js';
import { Trellis } from '../../support/trellis.js';

jest.setTimeout(120_000);

describe('mentions in texts', () => {
  let trellis: Trellis;
  let owner: Person;
  let mia: Person;
  let bob: Person;
  let project: MadeProject;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    owner = await trellis.factories.user();
    mia = await trellis.factories.user();
    bob = await trellis.factories.user();
    project = await trellis.factories.project(owner, { visibilityLevel: 20 });
  });

  const at = ({ user }: Person): string => `@${user.username}`;
  const open = (body: object = {}, by = owner, where = project) =>
    openIssue(trellis, by, where, body);
  const edit = (issue: IssueBody, body: object, by = owner) =>
    trellis.as(by).put(pathOf(issue), body).expect(200);
  const comment = async (issue: IssueBody, body: string, by = owner) => {
    const answer = await trellis
      .as(by)
      .post(`${pathOf(issue)}/notes`, { body })
      .expect(200);
    return (answer.body as { id: number }).id;
  };
  const waiting = async (issue: IssueBody) =>
    (await todosFor(trellis, issue)).map(({ user_id, state }) => [user_id, state]);
  const subscribed = async (issue: IssueBody, person: Person) => {
    const { body } = await trellis.as(person).get(pathOf(issue)).expect(200);
    return (body as IssueBody).subscribed;
  };

  describe('users', () => {
    it('get a todo and a subscription from title, description or note', async () => {
      const titled = await open({ title: `Ask ${at(mia).toUpperCase()}` });
      const described = await open({ description: `For ${at(mia)}.` });
      const noted = await open();
      await comment(noted, `${at(mia)} ${at(owner)}`);
      for (const issue of [titled, described, noted]) {
        expect(await waiting(issue)).toContainEqual([mia.user.id, 'pending']);
        expect(await subscribed(issue, mia)).toBe(true);
        expect(await subscribed(issue, bob)).toBe(false);
      }
      expect(await waiting(noted)).toContainEqual([owner.user.id, 'pending']);
    });

    it('are not mentioned by code, comments, addresses and unknown names', async () => {
      const name = at(mia);
      const issue = await open({
        description: `\`${name}\` <!-- ${name} --> x${name} \\${name}\n\n    ${name}\n\n@nobody-there`,
      });
      expect(await waiting(issue)).toEqual([]);
    });

    it('have one pending todo at most, and a new one when the text changes after it is done', async () => {
      const issue = await open({ title: at(mia) });
      await comment(issue, at(mia));
      await edit(issue, { description: `${at(mia)} once more` });
      expect(await waiting(issue)).toEqual([[mia.user.id, 'pending']]);
      await trellis.as(mia).delete('/todos').expect(200);
      await edit(issue, { labels: 'a' });
      await edit(issue, { title: at(mia) });
      expect(await waiting(issue)).toEqual([[mia.user.id, 'done']]);
      await edit(issue, { description: `${at(mia)}, please` });
      expect(await waiting(issue)).toEqual([
        [mia.user.id, 'done'],
        [mia.user.id, 'pending'],
      ]);
    });

    it('are subscribed while a text mentions them', async () => {
      const issue = await open({ description: at(mia) });
      await edit(issue, { description: at(bob) });
      expect(await subscribed(issue, mia)).toBe(false);
      expect(await subscribed(issue, bob)).toBe(true);
      const note = await comment(issue, at(mia));
      expect(await subscribed(issue, mia)).toBe(true);
      const path = `${pathOf(issue)}/notes/${String(note)}`;
      await trellis.as(owner).put(path, { body: 'Never mind' }).expect(200);
      expect(await subscribed(issue, mia)).toBe(false);
    });

    it('finish their own todo by a comment, before new todos are created', async () => {
      const issue = await open({ title: at(mia) });
      await comment(issue, `I do, says ${at(mia)} to ${at(bob)}`, mia);
      expect(await waiting(issue)).toEqual([
        [mia.user.id, 'done'],
        [mia.user.id, 'pending'],
        [bob.user.id, 'pending'],
      ]);
    });

    it('with read access are mentioned by a group and by @all', async () => {
      const secret = await trellis.factories.project(owner);
      const group = await trellis.factories.group(bob);
      await trellis.factories.addToGroup(group, mia, 10);
      await trellis.factories.addToProject(secret, mia, 10);
      const blocked = await trellis.factories.user();
      await trellis.factories.addToProject(secret, blocked, 40);
      await trellis.rows(`UPDATE users SET state = 'blocked' WHERE id = $1`, [blocked.user.id]);
      const master = await trellis.factories.user();
      await trellis.factories.addToProject(secret, master, 40);

      const ofGroup = await open({ title: `@${group.path}` }, owner, secret);
      expect(await waiting(ofGroup)).toEqual([[mia.user.id, 'pending']]);
      const ofAll = await open({ title: '@all' }, owner, secret);
      const everybody = [owner, mia, master].map(({ user }) => user.id);
      expect((await waiting(ofAll)).map(([id]) => id).sort()).toEqual(everybody.sort());
      const hushed = await open({ title: '@all', confidential: true }, owner, secret);
      expect((await waiting(hushed)).map(([id]) => id)).not.toContain(mia.user.id);
      const strangers = await open({ title: `${at(bob)} ${at(blocked)}` }, owner, secret);
      expect(await waiting(strangers)).toEqual([]);
    });

    it('are not mentioned by @all of authors who are not members', async () => {
      const outsiders = [
        mia,
        await trellis.factories.admin(),
        await trellis.factories.user({ external: true }),
      ];
      const team = await trellis.factories.group(owner);
      const place = await trellis.factories.project(owner, {
        visibilityLevel: 20,
        namespaceId: team.id,
      });
      const shared = await trellis.factories.group(bob);
      for (const author of outsiders) {
        const issue = await open({ title: '@all' }, author, place);
        await comment(issue, '@ALL, please', author);
        expect(await waiting(issue)).toEqual([]);
        expect(await subscribed(issue, owner)).toBe(false);
      }
      const path = `/projects/${String(place.id)}/share`;
      await trellis.as(owner).post(path, { group_id: shared.id, group_access: 10 }).expect(200);
      const expected = [owner.user.id, bob.user.id].sort((a, b) => a - b);
      for (const author of [owner, bob]) {
        const issue = await open({ title: '@all' }, author, place);
        expect((await waiting(issue)).map(([id]) => id)).toEqual(expected);
      }
      await trellis.factories.addToProject(place, mia, 10, '2020-01-01');
      expect(await waiting(await open({ title: '@all' }, mia, place))).toEqual([]);
    });

    it('are mentioned by a group only where the author can read it', async () => {
      const hidden = await trellis.factories.group(bob, { visibilityLevel: 0 });
      const internal = await trellis.factories.group(bob, { visibilityLevel: 10 });
      const external = await trellis.factories.user({ external: true });
      const admin = await trellis.factories.admin();
      const reached = async (group: { path: string }, author: Person) => {
        const issue = await open({ title: `@${group.path.toUpperCase()}` }, author);
        const inTitle = await waiting(issue);
        const other = await open({}, author);
        await comment(other, `@${group.path}`, author);
        expect(await waiting(other)).toEqual(inTitle);
        return inTitle.length > 0;
      };
      const cases = [
        [hidden, mia, false],
        [hidden, owner, false],
        [hidden, bob, true],
        [hidden, admin, true],
        [internal, mia, true],
        [internal, external, false],
      ] as const;
      for (const [group, author, isReached] of cases) {
        expect([group.path, author.user.id, await reached(group, author)]).toEqual([
          ...[group.path, author.user.id, isReached],
        ]);
      }
      const inside = await trellis.factories.project(bob, { namespaceId: hidden.id });
      await trellis.factories.addToProject(inside, mia, 10);
      expect(await reached(hidden, mia)).toBe(true);
      expect(await reached(hidden, owner)).toBe(false);
    });

    it('are limited to the first members of large groups and projects, except those named directly', async () => {
      const large = await trellis.factories.project(owner, { visibilityLevel: 20 });
      const group = await trellis.factories.group(bob);
      const [first, second] = [
        await trellis.factories.crowd(900),
        await trellis.factories.crowd(900),
      ];
      const last = await trellis.factories.user();
      await trellis.rows(
        `INSERT INTO group_members (group_id, user_id, access_level)
         SELECT $1, unnest($2::int[]), 10`,
        [group.id, [...first, last.user.id]],
      );
      await trellis.rows(
        `INSERT INTO project_members (project_id, user_id, access_level)
         SELECT $1, unnest($2::int[]), 10`,
        [large.id, second],
      );
      const members = [owner.user.id, bob.user.id, ...first, ...second, last.user.id];
      const reached = members.sort((a, b) => a - b).slice(0, GROUP_MENTIONS_PER_TEXT);
      const issue = await open({ title: `@all @${group.path} ${at(last)}` }, owner, large);
      const ids = (await waiting(issue)).map(([id]) => id as number).sort((a, b) => a - b);
      expect(ids).toEqual([...reached, last.user.id]);
    });

    it('take the same number of statements for any number of users', async () => {
      const crowd = await trellis.factories.crowd(50);
      const names = await trellis.rows<{ username: string }>(
        'SELECT username FROM users WHERE id = ANY($1)',
        [crowd],
      );
      const make = (mentioned: readonly { username: string }[]) =>
        open({ description: mentioned.map(({ username }) => `@${username}`).join(' ') });
      await make(names.slice(0, 1));
      const one = await trellis.statements.during(() => make(names.slice(0, 1)));
      const many = await trellis.statements.during(async () => {
        expect(await waiting(await make(names))).toHaveLength(50);
      });
      // The look at the todos is one of them.
      expect(many).toHaveLength(one.length + 1);
    });
  });

  describe('issues', () => {
    it('get one note for each issue that mentions them, and none for themselves', async () => {
      const told = await open();
      const number = `#${String(told.iid)}`;
      const telling = await open({ description: `See ${number} and ${number}` });
      await comment(telling, `Again ${number}, and #${String(telling.iid)}`);
      await edit(telling, { title: `Like ${number}` });
      const other = await open({ title: `!1 \`${number}\` #999999` });
      await comment(other, `About ${trellis.url}/${project.fullPath}/issues/${String(told.iid)}`);
      expect(await systemNotes(trellis, told)).toEqual([
        `mentioned in issue #${String(telling.iid)}`,
        `mentioned in issue #${String(other.iid)}`,
      ]);
      expect(await systemNotes(trellis, telling)).toEqual([
        expect.stringMatching(/^changed title/) as string,
      ]);
    });

    it('get notes across projects, with the shortest unambiguous reference', async () => {
      const sibling = await trellis.factories.project(owner, { visibilityLevel: 20 });
      const elsewhere = await trellis.factories.project(bob, { visibilityLevel: 20 });
      const told = await open();
      const iid = String(told.iid);
      const near = await open({ title: `${project.path}#${iid}` }, owner, sibling);
      const far = await open({ title: `${project.fullPath.toUpperCase()}#${iid}` }, bob, elsewhere);
      await open({ title: `${project.path}#${iid}` }, bob, elsewhere);
      expect(await systemNotes(trellis, told)).toEqual([
        `mentioned in issue ${sibling.path}#${String(near.iid)}`,
        `mentioned in issue ${elsewhere.fullPath}#${String(far.iid)}`,
      ]);
    });

    it('get notes only from authors with read access', async () => {
      const secret = await trellis.factories.project(bob);
      const told = await open({}, bob, secret);
      const hushed = await open({ confidential: true });
      await open({ title: `${secret.fullPath}#${String(told.iid)} #${String(hushed.iid)}` }, mia);
      expect(await systemNotes(trellis, told)).toEqual([]);
      expect(await systemNotes(trellis, hushed)).toEqual([]);
    });

    it('are updated by the note', async () => {
      const told = await open();
      await open({ title: `After #${String(told.iid)}` });
      const { body } = await trellis.as(owner).get(pathOf(told)).expect(200);
      const { updated_at } = body as IssueBody;
      expect(Date.parse(updated_at)).toBeGreaterThan(Date.parse(told.updated_at));
    });

    it('get notes from the first references of a text, up to the limit', async () => {
      const place = await trellis.factories.project(owner);
      const row = { authorId: owner.user.id };
      const ids = await addIssues(
        trellis,
        place,
        Array.from({ length: REFERENCES_PER_TEXT + 2 }, () => row),
      );
      const numbers = ids.map((_, index) => `#${String(index + 1)}`);
      await open({ description: numbers.join(' ') }, owner, place);
      const told = await trellis.rows<{ id: number }>(
        `SELECT noteable_id AS id FROM notes WHERE project_id = $1 AND system ORDER BY noteable_id`,
        [place.id],
      );
      expect(told.map(({ id }) => id)).toEqual(ids.slice(0, 200));
    });

    it('that mention each other concurrently get one note each', async () => {
      const [one, two] = [await open(), await open()];
      await Promise.all(
        [1, 2, 3, 4].flatMap(() => [
          comment(one, `#${String(two.iid)}`),
          comment(two, `#${String(one.iid)}`),
        ]),
      );
      expect(await systemNotes(trellis, one)).toEqual([`mentioned in issue #${String(two.iid)}`]);
      expect(await systemNotes(trellis, two)).toEqual([`mentioned in issue #${String(one.iid)}`]);
    });
  });

  it('ignore deleted accounts', async () => {
    const gone = await trellis.factories.user();
    await open({ title: at(gone) });
    await trellis
      .as(await trellis.factories.admin())
      .delete(`/users/${String(gone.user.id)}`)
      .expect(200);
    const issue = await open({ title: at(gone) });
    expect(await waiting(issue)).toEqual([]);
    expect(await reasonsOf(trellis, bob, '?action=assigned')).toEqual([]);
  });
});
