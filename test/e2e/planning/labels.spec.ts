import { expectByRole, REPORTERS } from '../../support/by-role.js';
import { type Cast, makeCast } from '../../support/cast.js';
import { type MadeProject, type Person, unique } from '../../support/factories.js';
import { Trellis } from '../../support/trellis.js';

jest.setTimeout(120_000);

interface LabelBody {
  id: number;
  name: string;
}

const COLOR = '#428BCA';

describe('Labels', () => {
  let trellis: Trellis;
  let owner: Person;
  let reporter: Person;
  let guest: Person;
  let project: MadeProject;
  let cast: Cast;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    owner = await trellis.factories.user({ projectsLimit: 1000 });
    reporter = await trellis.factories.user();
    guest = await trellis.factories.user();
    cast = await makeCast(trellis);
  });

  beforeEach(async () => {
    project = await trellis.factories.project(owner);
    await trellis.factories.addToProject(project, reporter, 20);
    await trellis.factories.addToProject(project, guest, 10);
  });

  const at = ({ id }: { id: number } = project) => `/projects/${String(id)}/labels`;
  const post = (body: object, person = reporter) => trellis.as(person).post(at(), body);
  const put = (body: object, person = reporter) => trellis.as(person).put(at(), body);
  const remove = (name: string, person = reporter) =>
    trellis.as(person).delete(`${at()}?name=${encodeURIComponent(name)}`);
  const made = async (name: string, more: object = {}) =>
    (await post({ name, color: COLOR, ...more }).expect(200)).body as LabelBody;
  const names = async () => {
    const { body } = await trellis.as(guest).get(at()).expect(200);
    return (body as LabelBody[]).map(({ name }) => name);
  };

  describe('are created', () => {
    it('with a credential, name and colour, in a readable project, by reporters', async () => {
      await trellis.anonymous.post(at(), {}).expect(401);
      const nowhere = at({ id: 2_000_000_000 });
      const both = await trellis.as(owner).post(nowhere, {}).expect(400);
      expect(both.body).toEqual({ error: 'name is missing, color is missing' });
      const blank = { name: 'x', color: COLOR };
      for (const priority of [-1, '-1', 1.5, 'high', true, 2_147_483_648]) {
        const bad = await trellis
          .as(owner)
          .post(nowhere, { ...blank, priority })
          .expect(400);
        expect(bad.body).toEqual({ error: 'priority is invalid' });
      }
      await trellis.as(owner).post(nowhere, blank).expect(404);
      await post({ ...blank, name: ',' }, guest).expect(403, { message: '403 Forbidden' });
      await expectByRole(
        trellis,
        cast,
        (client, { id }) => client.post(at({ id }), { name: unique(), color: COLOR }),
        REPORTERS,
      );
      expect(await names()).toEqual([]);
    });

    it('with every field, in response and row', async () => {
      const values = { name: 'bug', color: '#d9534f', description: 'To be mended', priority: 0 };
      const { body } = await post(values).expect(200);
      expect(body).toEqual({
        id: expect.any(Number) as number,
        name: 'bug',
        color: '#d9534f',
        description: 'To be mended',
        open_issues_count: 0,
        closed_issues_count: 0,
        open_merge_requests_count: 0,
        priority: 0,
        subscribed: false,
      });
      const rows = await trellis.rows(
        'SELECT id, name, color, description, priority FROM labels WHERE project_id = $1',
        [project.id],
      );
      expect(rows).toEqual([{ ...values, id: (body as LabelBody).id }]);
    });

    it('without the optional fields, which may be missing, null or empty', async () => {
      for (const more of [{}, { description: null, priority: null }, { priority: '' }]) {
        const label = await made(unique(), more);
        expect(label).toMatchObject({ description: null, priority: null });
      }
      expect(await made('short', { color: '#FfF', priority: '7' })).toMatchObject({
        color: '#FfF',
        priority: 7,
      });
    });

    it('under trimmed names without tags, case-sensitively', async () => {
      expect(await made('  <b>Two</b> words ')).toMatchObject({ name: 'Two words' });
      await made('two words');
      for (const name of ['two words', ' two words', '<i>two words</i>']) {
        const taken = await post({ name, color: COLOR }).expect(409);
        expect(taken.body).toEqual({ message: 'Label already exists' });
      }
      const odd = `'; DROP TABLE labels; -- \u202e%_\\/?&~"`;
      expect(await made(odd)).toMatchObject({ name: odd });
      expect(await made('🎉'.repeat(255))).toMatchObject({ name: '🎉'.repeat(255) });
      const other = await trellis.factories.project(owner);
      await trellis.as(owner).post(at(other), { name: odd, color: COLOR }).expect(200);
    });

    it('unless fields are invalid, and all errors are reported', async () => {
      const refused = async (values: object) => {
        const { body } = await post({ name: 'x', color: COLOR, ...values }).expect(400);
        return (body as { message: object }).message;
      };
      for (const name of ['', '  ', '<b></b>']) {
        expect(await refused({ name })).toEqual({ title: ["can't be blank"] });
      }
      for (const name of ['a,b', 'x'.repeat(256)]) {
        expect(await refused({ name })).toEqual({ title: ['is invalid'] });
      }
      for (const color of [
        '',
        'red',
        '#',
        '#12',
        '#12345',
        '#1234567',
        '#ggg',
        '428BCA',
        ' #fff',
      ]) {
        expect(await refused({ color })).toEqual({ color: ['must be a valid color code'] });
      }
      expect(await refused({ name: ',', color: 'x', description: 'x'.repeat(2001) })).toEqual({
        title: ['is invalid'],
        color: ['must be a valid color code'],
        description: ['is too long (maximum is 2000 characters)'],
      });
      expect(await names()).toEqual([]);
    });

    it('once for concurrent requests', async () => {
      const answers = await Promise.all(
        Array.from({ length: 8 }, () => post({ name: 'race', color: COLOR })),
      );
      const statuses = answers.map(({ status }) => status).sort();
      expect(statuses).toEqual([200, ...Array.from({ length: 7 }, () => 409)]);
      expect(await names()).toEqual(['race']);
    });

    it('by naming them on issues too, each once', async () => {
      const issues = `/projects/${String(project.id)}/issues`;
      const labels = 'kept, <b>new</b>,,  other ,new';
      await made('kept', { color: '#fff' });
      const answers = await Promise.all(
        Array.from({ length: 6 }, (_, n) =>
          trellis
            .as(reporter)
            .post(issues, { title: `Issue ${String(n)}`, labels })
            .expect(200),
        ),
      );
      for (const { body } of answers) {
        expect(body).toMatchObject({ labels: ['kept', 'new', 'other'] });
      }
      const { body } = await trellis.as(guest).get(at()).expect(200);
      expect(body).toMatchObject([
        { name: 'kept', color: '#fff', open_issues_count: 6 },
        { name: 'new', color: COLOR, open_issues_count: 6 },
        { name: 'other', color: COLOR, open_issues_count: 6 },
      ]);
    });

    it('in archived projects, not in deleted ones', async () => {
      const asOwner = trellis.as(owner);
      await asOwner.post(`/projects/${String(project.id)}/archive`).expect(200);
      await made('archived');
      await asOwner.delete(`/projects/${String(project.id)}`).expect(200);
      await post({ name: 'deleted', color: COLOR }).expect(404);
    });
  });

  describe('are listed', () => {
    it('to every reader of the project', async () => {
      await trellis.anonymous.get(at()).expect(401);
      const page = await trellis
        .as(owner)
        .get(`${at({ id: 2_000_000_000 })}?page=x`)
        .expect(400);
      expect(page.body).toEqual({ error: 'page is invalid' });
      const absent = await trellis
        .as(owner)
        .get(at({ id: 2_000_000_000 }))
        .expect(404);
      expect(absent.body).toEqual({ message: '404 Project Not Found' });
      await expectByRole(trellis, cast, (client, { id }) => client.get(at({ id })));
    });

    it('by name, in pages, and are empty for a new project', async () => {
      await trellis.as(guest).get(at()).expect(200, []);
      for (const name of ['b', 'Zebra', 'a', 'ünder', 'bug']) await made(name);
      expect(await names()).toEqual(['Zebra', 'a', 'b', 'bug', 'ünder']);
      const page = await trellis.as(guest).get(`${at()}?per_page=2&page=2`).expect(200);
      expect((page.body as LabelBody[]).map(({ name }) => name)).toEqual(['b', 'bug']);
      expect(page.headers).toMatchObject({ 'x-total': '5', 'x-next-page': '3' });
      const other = await trellis.factories.project(owner);
      await trellis.as(owner).get(at(other)).expect(200, []);
    });

    it('with the same number of statements for any number', async () => {
      const list = () => trellis.as(guest).get(`${at()}?per_page=100`).expect(200);
      await made('first');
      const few = await trellis.statements.during(list);
      await trellis.rows(
        `INSERT INTO labels (project_id, name, color)
         SELECT $1, 'label ' || n, '#fff' FROM generate_series(1, 99) n`,
        [project.id],
      );
      const many = await trellis.statements.during(list);
      expect(many).toHaveLength(few.length);
      expect((await list()).body).toHaveLength(100);
    });
  });

  describe('are updated', () => {
    it('with a name, a change, a readable project, the right and an existing label', async () => {
      await trellis.anonymous.put(at(), {}).expect(401);
      const missing = await put({ color: COLOR }).expect(400);
      expect(missing.body).toEqual({ error: 'name is missing' });
      const nothing = await put({ name: 'x' }).expect(400);
      expect(nothing.body).toEqual({
        error:
          'new_name, color, description, priority are missing, ' +
          'at least one parameter must be provided',
      });
      const bad = await put({ name: 'x', priority: -1 }).expect(400);
      expect(bad.body).toEqual({ error: 'priority is invalid' });
      const change = { name: 'absent', color: COLOR };
      await trellis
        .as(owner)
        .put(at({ id: 2_000_000_000 }), change)
        .expect(404, { message: '404 Project Not Found' });
      await put(change, guest).expect(403, { message: '403 Forbidden' });
      await put(change).expect(404, { message: '404 Label Not Found' });
      await put({ ...change, color: 'red' }).expect(404);
      await expectByRole(
        trellis,
        cast,
        async (client, { id }) => {
          const name = unique();
          await trellis
            .as(cast.people.owner as Person)
            .post(at({ id }), { name, color: COLOR })
            .expect(200);
          return client.put(at({ id }), { name, color: '#fff' });
        },
        REPORTERS,
      );
    });

    it('in the given fields only', async () => {
      const label = await made('bug', { description: 'Old', priority: 3 });
      const changed = async (change: object, name = 'bug') =>
        (await put({ name, ...change }).expect(200)).body as object;
      const before = { ...label };
      expect(await changed({ color: '#000' })).toEqual({ ...before, color: '#000' });
      expect(await changed({ description: 'New' })).toMatchObject({ description: 'New' });
      expect(await changed({ priority: 0 })).toMatchObject({ priority: 0, description: 'New' });
      expect(await changed({ priority: '' })).toMatchObject({ priority: null });
      expect(await changed({ priority: 5 })).toMatchObject({ priority: 5 });
      expect(await changed({ priority: null, color: null })).toMatchObject({
        priority: null,
        color: '#000',
      });
      expect(await changed({ description: null })).toMatchObject({ description: null });
      expect(await changed({ new_name: ' <i>Bug</i> ' })).toMatchObject({
        id: label.id,
        name: 'Bug',
      });
      expect(await changed({ new_name: 'Bug' }, 'Bug')).toMatchObject({ id: label.id });
      expect(await names()).toEqual(['Bug']);
    });

    it('unless fields are invalid, or the name is taken', async () => {
      await made('one');
      await made('two');
      const refused = async (change: object) =>
        ((await put({ name: 'one', ...change }).expect(400)).body as { message: object }).message;
      expect(await refused({ new_name: ' two ' })).toEqual({ title: ['has already been taken'] });
      expect(await refused({ new_name: '' })).toEqual({ title: ["can't be blank"] });
      expect(await refused({ new_name: 'a,b', color: 'red' })).toEqual({
        title: ['is invalid'],
        color: ['must be a valid color code'],
      });
      expect(await names()).toEqual(['one', 'two']);
    });

    it('to another name, and stay on their issues', async () => {
      const issues = `/projects/${String(project.id)}/issues`;
      const issue = await trellis
        .as(reporter)
        .post(issues, { title: 'Issue', labels: 'old' })
        .expect(200);
      const renamed = await put({ name: 'old', new_name: 'new' }).expect(200);
      expect(renamed.body).toMatchObject({ name: 'new', open_issues_count: 1 });
      const { id } = issue.body as { id: number };
      const read = await trellis
        .as(guest)
        .get(`${issues}/${String(id)}`)
        .expect(200);
      expect(read.body).toMatchObject({ labels: ['new'] });
    });
  });

  describe('are deleted', () => {
    it('with a name, in a readable project, by reporters', async () => {
      await trellis.anonymous.delete(at()).expect(401);
      await trellis.as(reporter).delete(at()).expect(400, { error: 'name is missing' });
      await remove('absent', guest).expect(403);
      await remove('absent').expect(404, { message: '404 Label Not Found' });
      await expectByRole(
        trellis,
        cast,
        async (client, { id }) => {
          const name = unique();
          await trellis
            .as(cast.people.owner as Person)
            .post(at({ id }), { name, color: COLOR })
            .expect(200);
          return client.delete(`${at({ id })}?name=${name}`);
        },
        REPORTERS,
      );
    });

    it('from issues and subscriptions too; the response is the deleted label', async () => {
      const label = await made('gone', { description: 'Once' });
      const issues = `/projects/${String(project.id)}/issues`;
      const issue = await trellis
        .as(reporter)
        .post(issues, { title: 'Issue', labels: 'gone,kept' })
        .expect(200);
      await trellis.as(reporter).post(`${at()}/gone/subscription`).expect(200);
      const answer = await remove('gone').expect(200);
      expect(answer.body).toEqual({ ...label, open_issues_count: 1, subscribed: true });
      await remove('gone').expect(404);
      const { id } = issue.body as { id: number };
      const read = await trellis
        .as(guest)
        .get(`${issues}/${String(id)}`)
        .expect(200);
      expect(read.body).toMatchObject({ labels: ['kept'] });
      const left = await trellis.rows(
        `SELECT (SELECT count(*)::int FROM label_links WHERE label_id = $1) AS links,
                (SELECT count(*)::int FROM subscriptions
                  WHERE target_type = 'Label' AND target_id = $1) AS subscriptions`,
        [label.id],
      );
      expect(left).toEqual([{ links: 0, subscriptions: 0 }]);
    });

    it('while issues are given them, without errors', async () => {
      const issues = `/projects/${String(project.id)}/issues`;
      for (let round = 0; round < 5; round += 1) {
        await made('contested');
        const answers = await Promise.all([
          remove('contested'),
          ...Array.from({ length: 4 }, () =>
            trellis.as(reporter).post(issues, { title: 'Issue', labels: 'contested' }),
          ),
        ]);
        expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
        await remove('contested');
      }
    });
  });

  it('return 403 where issues and merge requests are disabled', async () => {
    await made('bug');
    const admin = await trellis.factories.admin();
    const asOwner = trellis.as(owner);
    const path = `/projects/${String(project.id)}`;
    await asOwner.put(path, { issues_enabled: false }).expect(200);
    await asOwner.get(at()).expect(200);
    await asOwner.put(path, { merge_requests_enabled: false }).expect(200);
    for (const client of [asOwner, trellis.as(admin)]) {
      const answers = [
        await client.get(at()),
        await client.post(at(), { name: 'x', color: COLOR }),
        await client.put(at(), { name: 'bug', color: COLOR }),
        await client.delete(`${at()}?name=bug`),
        await client.post(`${at()}/bug/subscription`),
        await client.delete(`${at()}/bug/subscription`),
      ];
      expect(answers.map(({ status }) => status)).toEqual([403, 403, 403, 403, 403, 403]);
    }
    const stranger = await trellis.factories.user();
    await trellis.as(stranger).get(at()).expect(404);
    await asOwner.put(path, { issues_enabled: true }).expect(200);
    expect(await names()).toEqual(['bug']);
  });
});
