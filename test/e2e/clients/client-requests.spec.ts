import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { Checkout, numberedMessages } from '../../support/checkout.js';
import { type ExactAnswer, type ExactRequest, sendExactly } from '../../support/exact-request.js';
import { type MadeProject, type Person, unique } from '../../support/factories.js';
import { newKey } from '../../support/public-keys.js';
import { Trellis } from '../../support/trellis.js';

type Body = Record<string, unknown>;

/** Requests in the very bytes of clients that are used with the interface, and what these rely on. */
describe('requests byte by byte', () => {
  let trellis: Trellis;
  let admin: Person;
  let owner: Person;
  let project: MadeProject;

  beforeAll(async () => {
    trellis = await Trellis.shared({ settings: { STATUS_PROFILE: 'gitlab' } });
    admin = await trellis.factories.admin();
    owner = await trellis.factories.user({ projectsLimit: 1000 });
    project = await trellis.factories.project(owner);
  });
  afterAll(() => trellis.restore());

  const send = (request: ExactRequest): Promise<ExactAnswer> => sendExactly(trellis.url, request);
  const contentType = ({ rawHeaders }: ExactAnswer): string[] =>
    rawHeaders.filter((_, index) => rawHeaders[index - 1]?.toLowerCase() === 'content-type');

  describe('of php-gitlab-api, which decodes only responses of the type application/json', () => {
    const php = (method: string, path: string, body?: string, by = owner): Promise<ExactAnswer> =>
      send({
        method,
        path: `/api/v3/${path}`,
        headers: {
          'PRIVATE-TOKEN': by.token,
          'User-Agent': 'php-gitlab-api (http://github.com/m4tthumphrey/php-gitlab-api)',
          ...(body === undefined ? {} : { 'Content-Type': 'application/x-www-form-urlencoded' }),
        },
        ...(body === undefined ? {} : { body }),
      });

    it('receive it for objects, lists, scalars and errors', async () => {
      const id = String(project.id);
      const removed = await trellis.factories.project(owner);
      // The first question for the stores makes connections, which has a time limit.
      await trellis.untilReady();
      const answers: [number, Promise<ExactAnswer>][] = [
        [200, php('GET', `projects/${id}`)],
        [200, php('GET', 'projects?page=1&per_page=20')],
        [201, php('POST', `projects/${id}/issues`, 'title=From+PHP')],
        [200, php('DELETE', `projects/${String(removed.id)}`)],
        [400, php('POST', `projects/${id}/issues`, 'description=x')],
        [401, send({ method: 'GET', path: '/api/v3/user', headers: {} })],
        [403, php('GET', 'projects/all')],
        [404, php('GET', 'projects/2000000000')],
        [404, php('GET', 'nowhere')],
        [405, php('PATCH', `projects/${id}`)],
        [200, send({ method: 'GET', path: '/api/v3/openapi.json', headers: {} })],
        [200, send({ method: 'GET', path: '/healthz', headers: {} })],
        [200, send({ method: 'GET', path: '/readyz', headers: {} })],
        [404, send({ method: 'GET', path: '/elsewhere', headers: {} })],
      ];
      for (const [status, answered] of answers) {
        const answer = await answered;
        expect([answer.status, contentType(answer)]).toEqual([status, ['application/json']]);
        expect(answer.headers['content-length']).toBe(String(Buffer.byteLength(answer.text)));
        JSON.parse(answer.text);
      }
    });

    it('receive it for malformed HTTP', async () => {
      const socket = connect(Number(new URL(trellis.url).port), '127.0.0.1');
      socket.write('nonsense\r\n\r\n');
      expect(await text(socket)).toContain('\r\nContent-Type: application/json\r\n');
    });

    it('add, list and remove deploy keys under the older name', async () => {
      const path = `projects/${String(project.id)}/keys`;
      const key = `${newKey()} php@example.com`;
      const form = new URLSearchParams({ title: 'Deploy from PHP', key }).toString();
      const added = await php('POST', path, form);
      expect(added.status).toBe(201);
      const body = JSON.parse(added.text) as Body;
      expect(body).toMatchObject({ title: 'Deploy from PHP', key });
      const listed = await php('GET', path);
      expect([listed.status, JSON.parse(listed.text)]).toEqual([200, [body]]);
      const removed = await php('DELETE', `${path}/${String(body['id'])}`, '');
      expect([removed.status, JSON.parse(removed.text)]).toEqual([200, body]);
      expect((await php('GET', path)).text).toBe('[]');
    });

    it('enable and disable a deploy key with an empty form', async () => {
      const [from, to] = [
        await trellis.factories.project(owner),
        await trellis.factories.project(owner),
      ];
      const form = new URLSearchParams({ title: 'Shared', key: newKey() }).toString();
      const key = JSON.parse(
        (await php('POST', `projects/${String(from.id)}/deploy_keys`, form)).text,
      ) as Body;
      const path = `projects/${String(to.id)}/deploy_keys`;
      const enabled = await php('POST', `${path}/${String(key['id'])}/enable`, '');
      expect([enabled.status, JSON.parse(enabled.text)]).toEqual([201, key]);
      expect(JSON.parse((await php('GET', path)).text)).toEqual([key]);
      const disabled = await php('DELETE', `${path}/${String(key['id'])}/disable`, '');
      expect([disabled.status, JSON.parse(disabled.text)]).toEqual([200, key]);
      expect((await php('GET', path)).text).toBe('[]');
    });

    it('transfer a project by paths with escaped dots and slashes', async () => {
      const group = await trellis.factories.group(owner, { path: `php.${unique()}` });
      const moved = await trellis.factories.project(owner);
      const escape = (text: string): string => encodeURIComponent(text).replaceAll('.', '%2E');
      const path = `groups/${escape(group.path)}/projects/${escape(moved.fullPath)}`;
      expect((await php('POST', path, '', admin)).status).toBe(201);
      const read = await php('GET', `projects/${String(moved.id)}`);
      expect(JSON.parse(read.text)).toMatchObject({
        path_with_namespace: `${group.path}/${moved.path}`,
      });
    });

    it('create, read, update and delete a file by forms', async () => {
      const made = await trellis.factories.project(owner);
      const path = `projects/${String(made.id)}/repository/files`;
      const file = { file_path: 'docs/größe.txt', branch_name: 'master' };
      const form = (rest: Record<string, string>): string =>
        new URLSearchParams({ ...file, ...rest }).toString();
      const created = await php(
        'POST',
        path,
        form({ content: 'one & two\n', commit_message: 'a' }),
      );
      expect([created.status, JSON.parse(created.text)]).toEqual([201, file]);
      const query = new URLSearchParams({ file_path: file.file_path, ref: 'master' }).toString();
      const content = async (): Promise<string> => {
        const { text: body } = await php('GET', `${path}?${query}`);
        return Buffer.from(String((JSON.parse(body) as Body)['content']), 'base64').toString();
      };
      expect(await content()).toBe('one & two\n');
      const updated = await php('PUT', path, form({ content: 'three', commit_message: 'b' }));
      expect([updated.status, JSON.parse(updated.text)]).toEqual([200, file]);
      expect(await content()).toBe('three');
      const deleted = await php('DELETE', path, form({ commit_message: 'c' }));
      expect([deleted.status, JSON.parse(deleted.text)]).toEqual([200, file]);
      expect((await php('GET', `${path}?${query}`)).status).toBe(404);
    });

    it('read names beyond ASCII', async () => {
      const title = `größer ${unique()}`;
      const body = new URLSearchParams({ title }).toString();
      const answer = await php('POST', `projects/${String(project.id)}/issues`, body);
      expect(JSON.parse(answer.text)).toMatchObject({ title });
    });
  });

  // The HTTP library of java-gitlab-api adds the headers that are not its own.
  const java = (
    url: string,
    { method = 'GET', body, by = owner }: { method?: string; body?: string; by?: Person } = {},
  ): Promise<ExactAnswer> =>
    send({
      method,
      path: url.replace(trellis.url, ''),
      headers: {
        'PRIVATE-TOKEN': by.token,
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        'User-Agent': 'Java/1.8.0_121',
        Accept: 'text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2',
        'Accept-Encoding': 'gzip',
        Connection: 'keep-alive',
      },
      ...(body === undefined ? {} : { body }),
    });

  describe('of java-gitlab-api, which sends parameters in the query or as JSON', () => {
    const post = (path: string, options: { body?: string; by?: Person } = {}) =>
      java(`/api/v3/${path}`, { method: 'POST', ...options });

    it('add, list and remove deploy keys by the query', async () => {
      const made = await trellis.factories.project(owner);
      const path = `projects/${String(made.id)}/deploy_keys`;
      const key = newKey();
      const added = await post(`${path}?title=From+Java&key=${encodeURIComponent(key)}`);
      expect(added.status).toBe(201);
      const body = JSON.parse(added.text) as Body;
      expect(body).toMatchObject({ title: 'From Java', key });
      expect(JSON.parse((await java(`/api/v3/${path}`)).text)).toEqual([body]);
      const one = `/api/v3/${path}/${String(body['id'])}`;
      expect(await java(one, { method: 'DELETE' })).toMatchObject({ status: 200 });
      expect(await java(one)).toMatchObject({ status: 404 });
    });

    it('read the version', async () => {
      const answer = await java('/api/v3/version');
      expect(answer.status).toBe(200);
      expect(JSON.parse(answer.text)).toMatchObject({ version: '8.15.7' });
    });

    it('transfer a project without a body', async () => {
      const group = await trellis.factories.group(owner);
      const moved = await trellis.factories.project(owner);
      const path = `groups/${String(group.id)}/projects/${String(moved.id)}`;
      expect((await post(path, { by: admin })).status).toBe(201);
      const read = await java(`/api/v3/projects/${String(moved.id)}`);
      expect(JSON.parse(read.text)).toMatchObject({ namespace: { id: group.id } });
    });

    it('create a file by JSON', async () => {
      const made = await trellis.factories.project(owner);
      const path = `projects/${String(made.id)}/repository/files`;
      const file = { file_path: 'a.txt', branch_name: 'master' };
      const body = JSON.stringify({ ...file, commit_message: 'Start', content: 'text' });
      const created = await post(path, { body });
      expect([created.status, JSON.parse(created.text)]).toEqual([201, file]);
      const read = await java(`/api/v3/${path}?file_path=a.txt&ref=master`);
      expect(JSON.parse(read.text)).toMatchObject({
        content: Buffer.from('text').toString('base64'),
      });
    });
  });

  describe('of java-gitlab-api, which counts the pages of commits from 0', () => {
    const ids = ({ text: body }: ExactAnswer): string[] =>
      (JSON.parse(body) as { id: string }[]).map(({ id }) => id);
    let commits: string;
    let history: string[];

    beforeAll(async () => {
      const made = await trellis.factories.project(owner);
      const work = await Checkout.create(trellis, made, owner);
      try {
        await work.commitAll(numberedMessages(45));
        await work.push('--all');
        history = (await work.git('rev-list', '--topo-order', 'master')).split('\n');
      } finally {
        await work.remove();
      }
      commits = `${trellis.url}/api/v3/projects/${String(made.id)}/repository/commits`;
    });

    it('read every commit once, first without a page and then from page 1 on', async () => {
      const read: string[] = [];
      let page = await java(`${commits}?ref_name=master`);
      for (let number = 1; ids(page).length > 0; number += 1) {
        read.push(...ids(page));
        page = await java(`${commits}?ref_name=master&page=${String(number)}`);
      }
      expect(read).toEqual(history);
    });

    it('get the same pages when following `Link`', async () => {
      const first = await java(`${commits}?page=0&per_page=20`);
      expect(ids(first)).toEqual(ids(await java(commits)));
      const link = (page: number, rel: string): string =>
        `<${commits}?page=${String(page)}&per_page=20>; rel="${rel}"`;
      expect(first.headers).toMatchObject({
        'x-total': '45',
        'x-total-pages': '3',
        'x-page': '0',
        'x-prev-page': '',
        'x-next-page': '1',
        link: [link(1, 'next'), link(0, 'first'), link(2, 'last')].join(', '),
      });
      const last = await java(`${commits}?page=2&per_page=20`);
      expect(ids(last)).toEqual(history.slice(40));
      expect(last.headers).toMatchObject({
        'x-page': '2',
        'x-prev-page': '1',
        'x-next-page': '',
        link: [link(1, 'prev'), link(0, 'first'), link(2, 'last')].join(', '),
      });
      expect((await java(`${commits}?page=1`)).headers['x-prev-page']).toBe('0');
      expect(await java(`${commits}?page=3`)).toMatchObject({ status: 200, text: '[]' });

      const followed: string[] = [];
      for (let next: string | undefined = `${commits}?per_page=7`; next !== undefined;) {
        const page: ExactAnswer = await java(next);
        followed.push(...ids(page));
        next = /<([^>]*)>; rel="next"/.exec(String(page.headers['link']))?.[1];
      }
      expect(followed).toEqual(history);
    });

    it('count from 0 for empty lists too', async () => {
      const empty = await trellis.factories.project(owner);
      const path = `${trellis.url}/api/v3/projects/${String(empty.id)}/repository/commits`;
      const answer = await java(path);
      expect(answer).toMatchObject({ status: 200, text: '[]' });
      expect(answer.headers).toMatchObject({
        'x-total-pages': '0',
        'x-page': '0',
        'x-prev-page': '',
        'x-next-page': '',
        link: `<${path}?page=0&per_page=20>; rel="first", <${path}?page=0&per_page=20>; rel="last"`,
      });
    });

    it('get every other list from page 1 on', async () => {
      const answer = await java(`${commits.replace('/commits', '/branches')}?page=0`);
      expect(answer.headers).toMatchObject({ 'x-page': '1' });
    });
  });

  describe('of go-gitlab, which sends null instead of absent parameters', () => {
    const go = (method: string, path: string, body = 'null', by = owner): Promise<ExactAnswer> =>
      send({
        method,
        path: `/api/v3/${path}`,
        headers: {
          'User-Agent': 'go-gitlab',
          Accept: 'application/json',
          ...(body === '' ? {} : { 'Content-Type': 'application/json' }),
          'Private-Token': by.token,
          'Accept-Encoding': 'gzip',
        },
        body,
      });

    it('block and unblock', async () => {
      const { user } = await trellis.factories.user();
      const path = `users/${String(user.id)}`;
      const read = async (): Promise<unknown> =>
        ((await trellis.as(admin).get(`/${path}`)).body as Body)['state'];
      expect(await go('PUT', `${path}/block`, 'null', admin)).toMatchObject({
        status: 200,
        text: 'true',
      });
      expect(await read()).toBe('blocked');
      expect(await go('PUT', `${path}/unblock`, 'null', admin)).toMatchObject({ status: 200 });
      expect(await read()).toBe('active');
    });

    it('star, archive and unarchive', async () => {
      const { id } = await trellis.factories.project(owner);
      const path = `projects/${String(id)}`;
      const after = async (suffix: string): Promise<Body> => {
        const { status, text: body } = await go('POST', `${path}/${suffix}`);
        expect(status).toBe(201);
        return JSON.parse(body) as Body;
      };
      expect(await after('star')).toMatchObject({ id, star_count: 1 });
      expect(await after('archive')).toMatchObject({ id, archived: true });
      expect(await after('unarchive')).toMatchObject({ id, archived: false });
    });

    it('fork', async () => {
      const source = await trellis.factories.project(owner, { visibilityLevel: 20 });
      const forker = await trellis.factories.user({ projectsLimit: 10 });
      const answer = await go('POST', `projects/fork/${String(source.id)}`, 'null', forker);
      expect(answer.status).toBe(201);
      expect(JSON.parse(answer.text)).toMatchObject({
        path: source.path,
        forked_from_project: { id: source.id },
      });
    });

    it('protect and unprotect a branch', async () => {
      const { id } = await trellis.factories.project(owner);
      const commit = {
        branch_name: 'master',
        commit_message: 'Start',
        actions: [{ action: 'create', file_path: 'a', content: 'a' }],
      };
      await trellis
        .as(owner)
        .post(`/projects/${String(id)}/repository/commits`, commit)
        .expect(201);
      for (const verb of ['protect', 'unprotect']) {
        const path = `projects/${String(id)}/repository/branches/master/${verb}`;
        const answer = await go('PUT', path);
        expect(answer.status).toBe(200);
        expect(JSON.parse(answer.text)).toMatchObject({
          name: 'master',
          protected: verb === 'protect',
        });
      }
    });

    it.each(['deploy_keys', 'keys'])('add, enable and disable below /%s', async (name) => {
      const from = await trellis.factories.project(owner);
      const to = await trellis.factories.project(owner);
      const input = JSON.stringify({ title: 'Deploy from Go', key: newKey() });
      const added = await go('POST', `projects/${String(from.id)}/${name}`, input);
      expect(added.status).toBe(201);
      const key = JSON.parse(added.text) as Body;
      const path = `projects/${encodeURIComponent(to.fullPath)}/${name}`;
      const enabled = await go('POST', `${path}/${String(key['id'])}/enable`);
      expect([enabled.status, JSON.parse(enabled.text)]).toEqual([201, key]);
      const listed = await go('GET', path, '');
      expect([listed.status, JSON.parse(listed.text)]).toEqual([200, [key]]);
      const disabled = await go('DELETE', `${path}/${String(key['id'])}/disable`, '');
      expect([disabled.status, JSON.parse(disabled.text)]).toEqual([200, key]);
      expect((await go('GET', path, '')).text).toBe('[]');
    });

    it('read the version', async () => {
      const answer = await go('GET', 'version', '');
      expect(answer.status).toBe(200);
      expect(JSON.parse(answer.text)).toMatchObject({ version: '8.15.7' });
    });

    it('transfer a project, both by path', async () => {
      const group = await trellis.factories.group(owner);
      const moved = await trellis.factories.project(owner);
      const path = `groups/${group.path}/projects/${encodeURIComponent(moved.fullPath)}`;
      expect((await go('POST', path, 'null', admin)).status).toBe(201);
      const read = await go('GET', `projects/${String(moved.id)}`, '');
      expect(JSON.parse(read.text)).toMatchObject({ namespace: { id: group.id } });
    });

    it('commit actions, and create, update and delete a file', async () => {
      const { id } = await trellis.factories.project(owner);
      const path = `projects/${String(id)}/repository`;
      const action = { action: 'create', file_path: 'a', content: 'a' };
      const commit = { branch_name: 'master', commit_message: 'Start', actions: [action] };
      const made = await go('POST', `${path}/commits`, JSON.stringify(commit));
      expect(made.status).toBe(201);
      expect(JSON.parse(made.text)).toMatchObject({ title: 'Start', parent_ids: [] });

      const file = { file_path: 'b', branch_name: 'master' };
      const sent = (rest: Record<string, string>): string => JSON.stringify({ ...file, ...rest });
      const calls: [string, number, string][] = [
        ['POST', 201, sent({ encoding: 'text', content: 'b', commit_message: 'Add' })],
        ['PUT', 200, sent({ encoding: 'text', content: 'c', commit_message: 'Change' })],
        ['DELETE', 200, sent({ commit_message: 'Remove' })],
      ];
      for (const [method, status, body] of calls) {
        const answer = await go(method, `${path}/files`, body);
        expect([answer.status, JSON.parse(answer.text)]).toEqual([status, file]);
      }
      const commits = await go('GET', `${path}/commits?ref_name=master`, '');
      const titles = (JSON.parse(commits.text) as { title: string }[]).map(({ title }) => title);
      expect(titles).toEqual(['Remove', 'Change', 'Add', 'Start']);
    });

    it('get the errors of an empty body for missing parameters', async () => {
      for (const body of ['null', '[]', '5', '"title"', 'false']) {
        const answer = await go('POST', `projects/${String(project.id)}/issues`, body);
        expect(answer.status).toBe(400);
        expect(JSON.parse(answer.text)).toEqual({ error: 'title is missing' });
      }
    });

    it('are refused when the body is not JSON', async () => {
      const answer = await go('POST', `projects/${String(project.id)}/star`, '{"a":');
      expect(answer.status).toBe(400);
      expect(JSON.parse(answer.text)).toEqual({ error: 'The request body is not valid JSON' });
    });
  });
});
