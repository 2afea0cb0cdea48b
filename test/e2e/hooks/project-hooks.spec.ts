import { HOOKS_PER_PROJECT } from '../../../src/modules/hooks/project-hooks/project-hooks.service.js';
import { expectByRole, MASTERS } from '../../support/by-role.js';
import { type Cast, makeCast } from '../../support/cast.js';
import type { MadeProject, Person } from '../../support/factories.js';
import { meetBeforeWriting } from '../../support/table-lock.js';
import { Trellis } from '../../support/trellis.js';

jest.setTimeout(120_000);

const TIMESTAMP = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string;
const NOWHERE = { id: 2_000_000_000 };
const URL = 'https://receiver.example.com/hook?a=b';

const DEFAULTS = {
  push_events: true,
  issues_events: false,
  merge_requests_events: false,
  tag_push_events: false,
  note_events: false,
  build_events: false,
  pipeline_events: false,
  wiki_page_events: false,
  enable_ssl_verification: true,
};

/** Parameters that are refused, whatever else is given. */
const MALFORMED: [object, string][] = [
  [{}, 'url is missing'],
  [{ url: null }, 'url is missing'],
  [{ url: { a: 1 } }, 'url is invalid'],
  [{ url: URL, push_events: 'perhaps' }, 'push_events is invalid'],
  [{ url: URL, wiki_events: 7 }, 'wiki_events is invalid'],
  [{ url: URL, enable_ssl_verification: 'x' }, 'enable_ssl_verification is invalid'],
  [{ url: URL, token: ['x'] }, 'token is invalid'],
];

const NO_ADDRESSES = [
  '',
  ' ',
  'receiver.example.com',
  'ftp://receiver.example.com/',
  'file:///etc/passwd',
  'javascript:alert(1)',
  'http://',
  'https://[::1',
  'http://a b/',
  'http://example.com/a\nb',
  'http://exam\tple.com/',
  'http://example.com/\r\nx',
  '\u0001http://example.com/',
  'http://example.com/\u001b[31m',
  'http://example.com/\u007f',
  'http://example.com/\u0085',
  `http://example.com/${'x'.repeat(2_048)}`,
];

describe('Project hooks', () => {
  let trellis: Trellis;
  let owner: Person;
  let master: Person;
  let cast: Cast;
  let project: MadeProject;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    owner = await trellis.factories.user({ projectsLimit: 1000 });
    master = await trellis.factories.user();
    cast = await makeCast(trellis);
  });

  beforeEach(async () => {
    project = await trellis.factories.project(owner);
    await trellis.factories.addToProject(project, master, 40);
  });

  const at = ({ id }: { id: number } = project) => `/projects/${String(id)}/hooks`;
  const one = (id: number | string, of: { id: number } = project) => `${at(of)}/${String(id)}`;
  const make = async (values: object = {}, of: { id: number } = project, by: Person = owner) => {
    const { body } = await trellis
      .as(by)
      .post(at(of), { url: URL, ...values })
      .expect(200);
    return body as { id: number };
  };
  const makeIn = (place: { id: number }) => make({}, place, cast.people.owner as Person);
  const stored = async (id: number) => {
    const [row] = await trellis.rows('SELECT * FROM hooks WHERE id = $1', [id]);
    return row ?? {};
  };

  it('are listed to masters, newest first, in pages', async () => {
    await trellis.anonymous.get(at()).expect(401);
    await trellis
      .as(owner)
      .get(`${at(NOWHERE)}?page=x`)
      .expect(400, { error: 'page is invalid' });
    await trellis.as(owner).get(at(NOWHERE)).expect(404, { message: '404 Project Not Found' });
    await expectByRole(trellis, cast, (client, place) => client.get(at(place)), MASTERS);
    await trellis.as(master).get(at()).expect(200, []);
    const list = async (query = '') => {
      const { body } = await trellis.as(master).get(`${at()}${query}`).expect(200);
      return (body as { id: number }[]).map(({ id }) => id);
    };
    const { id: first } = await make();
    const few = await trellis.statements.during(list);
    const ids = [first];
    for (let count = 0; count < 4; count += 1) ids.unshift((await make()).id);
    await make({}, await trellis.factories.project(owner));
    expect(await list()).toEqual(ids);
    expect(await list('?per_page=2&page=2')).toEqual(ids.slice(2, 4));
    expect(await trellis.statements.during(list)).toHaveLength(few.length);
  });

  it('are read one by one', async () => {
    const { id } = await make();
    await trellis.anonymous.get(one(id)).expect(401);
    await trellis.as(owner).get(one('first', NOWHERE)).expect(400, { error: 'hook_id is invalid' });
    await trellis.as(owner).get(one(1, NOWHERE)).expect(404, { message: '404 Project Not Found' });
    const elsewhere = await make({}, await trellis.factories.project(owner));
    for (const absent of [elsewhere.id, 2_000_000_000, '99999999999', 0]) {
      await trellis.as(owner).get(one(absent)).expect(404, { message: '404 Not found' });
    }
    const [system] = await trellis.rows<{ id: number }>(
      `INSERT INTO hooks (url) VALUES ('http://example.com/') RETURNING id`,
    );
    await trellis
      .as(owner)
      .get(one(Number(system?.id)))
      .expect(404);
    await expectByRole(
      trellis,
      cast,
      async (client, place) => client.get(one((await makeIn(place)).id, place)),
      MASTERS,
    );
    const { body } = await trellis.as(master).get(one(id)).expect(200);
    expect(body).toEqual({
      id,
      project_id: project.id,
      url: URL,
      ...DEFAULTS,
      created_at: TIMESTAMP,
    });
  });

  describe('are added', () => {
    it('by masters, with an address of http or https', async () => {
      await trellis.anonymous.post(at(), { url: URL }).expect(401);
      for (const [body, error] of MALFORMED) {
        await trellis.as(owner).post(at(NOWHERE), body).expect(400, { error });
      }
      const long = { url: URL, token: 'x'.repeat(1_025) };
      await trellis.as(owner).post(at(), long).expect(400);
      await expectByRole(
        trellis,
        cast,
        (client, place) => client.post(at(place), { url: URL }),
        MASTERS,
      );
      for (const url of NO_ADDRESSES) {
        const { body } = await trellis.as(owner).post(at(), { url }).expect(422);
        expect(body).toEqual({ error: 'Invalid url given' });
      }
      const kept = await trellis.rows('SELECT 1 FROM hooks WHERE project_id = $1', [project.id]);
      expect(kept).toEqual([]);
    });

    it('up to a limit, also by concurrent requests', async () => {
      await trellis.rows(
        'INSERT INTO hooks (project_id, url) SELECT $1, $2 FROM generate_series(1, $3)',
        [project.id, URL, HOOKS_PER_PROJECT - 1],
      );
      const requests = [1, 2, 3].map(() => trellis.as(owner).post(at(), { url: URL }));
      const answers = await meetBeforeWriting(trellis, 'hooks', requests);
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400]);
      const refused = answers.find(({ status }) => status === 400);
      const text = `Maximum number of project hooks (${String(HOOKS_PER_PROJECT)}) exceeded`;
      expect(refused?.body).toEqual({ message: text });
    });

    it('with the events they subscribe to, and a token that is never returned', async () => {
      const flags = Object.fromEntries(
        Object.entries(DEFAULTS).map(([name, value]) => [name, !value]),
      );
      const { wiki_page_events: wiki, ...others } = flags;
      const given = { url: 'HTTP://u:p@Example.com:81/x', ...others, wiki_events: wiki };
      const secret = { token: 's\u{1F98A}cret' };
      const { body } = await trellis
        .as(master)
        .post(at(), { ...given, ...secret })
        .expect(200);
      const { id } = body as { id: number };
      const url = 'HTTP://u:***@Example.com:81/x';
      const shown = { id, project_id: project.id, url, ...flags, created_at: TIMESTAMP };
      expect(body).toEqual(shown);
      await trellis
        .as(owner)
        .get(one(id))
        .expect(200, body as object);
      const { token_sealed: sealed } = await stored(id);
      expect(sealed).toEqual(expect.any(String));
      expect(JSON.stringify(await stored(id))).not.toContain('cret');
      const older = await make({ wiki_page_events: true, token: '' });
      expect(older).toMatchObject({ ...DEFAULTS, wiki_page_events: true });
      expect(await stored(older.id)).toMatchObject({ token_sealed: null });
    });
  });

  it('are stored without blanks around their address', async () => {
    const { id } = await make({ url: ` \t${URL}\r\n ` });
    expect(await stored(id)).toMatchObject({ url: URL });
    const changed = await trellis
      .as(master)
      .put(one(id), { url: ' https://u:p@receiver.example.com/ ' })
      .expect(200);
    const url = 'https://u:***@receiver.example.com/';
    expect(changed.body).toMatchObject({ url });
    expect(await stored(id)).toMatchObject({ url });
    // The limit is for what is stored.
    const longest = `${URL}&${'x'.repeat(2_047 - URL.length)}`;
    expect(await make({ url: `  ${longest}  ` })).toMatchObject({ url: longest });
  });

  it('are updated by masters with the given fields, and enabled again', async () => {
    const { id } = await make({ note_events: true, token: 'old' });
    await trellis.anonymous.put(one(id), { url: URL }).expect(401);
    for (const [body, error] of MALFORMED) {
      await trellis.as(owner).put(one(1, NOWHERE), body).expect(400, { error });
    }
    await expectByRole(
      trellis,
      cast,
      async (client, place) => client.put(one((await makeIn(place)).id, place), { url: URL }),
      MASTERS,
    );
    const elsewhere = await make({}, await trellis.factories.project(owner));
    for (const absent of [elsewhere.id, 2_000_000_000]) {
      const test = trellis.as(owner).put(one(absent), { url: URL });
      await test.expect(404, { message: '404 Not found' });
    }
    for (const url of NO_ADDRESSES) {
      await trellis.as(owner).put(one(id), { url }).expect(422, { error: 'Invalid url given' });
    }
    const { token_sealed: sealed } = await stored(id);
    await trellis.rows(
      `UPDATE hooks SET disabled_at = now(), disabled_reason = 'failing', failing_since = now()
        WHERE id = $1`,
      [id],
    );
    const changes = { url: `${URL}&c=d`, push_events: false, wiki_page_events: true };
    const { body } = await trellis.as(master).put(one(id), changes).expect(200);
    expect(body).toEqual({
      id,
      project_id: project.id,
      ...DEFAULTS,
      ...changes,
      note_events: true,
      created_at: TIMESTAMP,
    });
    expect(await stored(id)).toMatchObject({
      token_sealed: sealed,
      disabled_at: null,
      disabled_reason: null,
      failing_since: null,
    });
    await trellis.as(master).put(one(id), { url: URL, token: '' }).expect(200);
    expect(await stored(id)).toMatchObject({ token_sealed: null, url: URL });
  });

  it('are removed, and a second removal succeeds', async () => {
    const { id } = await make();
    await trellis.anonymous.delete(one(id)).expect(401);
    await trellis.as(owner).delete(one('x', NOWHERE)).expect(400, { error: 'hook_id is invalid' });
    await expectByRole(
      trellis,
      cast,
      async (client, place) => client.delete(one((await makeIn(place)).id, place)),
      MASTERS,
    );
    const elsewhere = await make({}, await trellis.factories.project(owner));
    const before = await trellis.as(owner).get(one(id)).expect(200);
    await trellis
      .as(master)
      .delete(one(id))
      .expect(200, before.body as object);
    for (const absent of [id, elsewhere.id, 2_000_000_000]) {
      const { text, headers } = await trellis.as(master).delete(one(absent)).expect(200);
      expect({ text, length: headers['content-length'] }).toEqual({ text: '', length: '0' });
    }
    const kept = await trellis.rows('SELECT 1 FROM hooks WHERE id = $1', [elsewhere.id]);
    expect(kept).toHaveLength(1);
  });
});
