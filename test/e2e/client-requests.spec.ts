import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { Checkout } from '../support/checkout.js';
import { type ExactAnswer, type ExactRequest, sendExactly } from '../support/exact-request.js';
import { type MadeProject, type Person, unique } from '../support/factories.js';
import { Trellis } from '../support/trellis.js';

type Body = Record<string, unknown>;

/** Requests in the very bytes of clients that are used with the interface, and what these rely on. */
describe('requests byte by byte', () => {
  let trellis: Trellis;
  let admin: Person;
  let owner: Person;
  let project: MadeProject;

  beforeAll(async () => {
    trellis = await Trellis.start({ env: { STATUS_PROFILE: 'gitlab' } });
    admin = await trellis.factories.admin();
    owner = await trellis.factories.user({ projectsLimit: 1000 });
    project = await trellis.factories.project(owner);
  });
  afterAll(() => trellis.stop());

  const send = (request: ExactRequest): Promise<ExactAnswer> => sendExactly(trellis.url, request);
  const contentType = ({ rawHeaders }: ExactAnswer): string[] =>
    rawHeaders.filter((_, index) => rawHeaders[index - 1]?.toLowerCase() === 'content-type');

  describe('of php-gitlab-api, which decodes answers whose content type is application/json alone', () => {
    const php = (method: string, path: string, body?: string): Promise<ExactAnswer> =>
      send({
        method,
        path: `/api/v3/${path}`,
        headers: {
          'PRIVATE-TOKEN': owner.token,
          'User-Agent': 'php-gitlab-api (http://github.com/m4tthumphrey/php-gitlab-api)',
          ...(body === undefined ? {} : { 'Content-Type': 'application/x-www-form-urlencoded' }),
        },
        ...(body === undefined ? {} : { body }),
      });

    it('gets it for objects, lists, scalars and refusals', async () => {
      const id = String(project.id);
      const removed = await trellis.factories.project(owner);
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

    it('gets it for what is no HTTP', async () => {
      const socket = connect(Number(new URL(trellis.url).port), '127.0.0.1');
      socket.write('nonsense\r\n\r\n');
      expect(await text(socket)).toContain('\r\nContent-Type: application/json\r\n');
    });

    it('reads names beyond ASCII', async () => {
      const title = `größer ${unique()}`;
      const body = new URLSearchParams({ title }).toString();
      const answer = await php('POST', `projects/${String(project.id)}/issues`, body);
      expect(JSON.parse(answer.text)).toMatchObject({ title });
    });
  });

  describe('of java-gitlab-api, which counts the pages of commits from 0', () => {
    // Its HTTP library adds the headers that are not its own.
    const java = (url: string): Promise<ExactAnswer> =>
      send({
        method: 'GET',
        path: url.replace(trellis.url, ''),
        headers: {
          'PRIVATE-TOKEN': owner.token,
          'User-Agent': 'Java/1.8.0_121',
          Accept: 'text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2',
          'Accept-Encoding': 'gzip',
          Connection: 'keep-alive',
        },
      });
    const ids = ({ text: body }: ExactAnswer): string[] =>
      (JSON.parse(body) as { id: string }[]).map(({ id }) => id);
    let commits: string;
    let history: string[];

    beforeAll(async () => {
      const made = await trellis.factories.project(owner);
      const work = await Checkout.create(trellis, made, owner);
      try {
        for (let count = 1; count <= 45; count += 1) await work.commit(`Commit ${String(count)}`);
        await work.push('--all');
        history = (await work.git('rev-list', '--topo-order', 'master')).split('\n');
      } finally {
        await work.remove();
      }
      commits = `${trellis.url}/api/v3/projects/${String(made.id)}/repository/commits`;
    });

    it('reads every commit once, by asking without a page and then from page 1 on', async () => {
      const read: string[] = [];
      let page = await java(`${commits}?ref_name=master`);
      for (let number = 1; ids(page).length > 0; number += 1) {
        read.push(...ids(page));
        page = await java(`${commits}?ref_name=master&page=${String(number)}`);
      }
      expect(read).toEqual(history);
    });

    it('gets the same pages from whoever follows the headers', async () => {
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

    it('counts from 0 where there are no commits too', async () => {
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

    it('gets every other list from page 1 on', async () => {
      const answer = await java(`${commits.replace('/commits', '/branches')}?page=0`);
      expect(answer.headers).toMatchObject({ 'x-page': '1' });
    });
  });

  describe('of go-gitlab, which sends null where there are no parameters', () => {
    const go = (method: string, path: string, body = 'null', by = owner): Promise<ExactAnswer> =>
      send({
        method,
        path: `/api/v3/${path}`,
        headers: {
          'User-Agent': 'go-gitlab',
          Accept: 'application/json',
          'Content-Type': 'application/json',
          'Private-Token': by.token,
          'Accept-Encoding': 'gzip',
        },
        body,
      });

    it('blocks and unblocks', async () => {
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

    it('stars, archives and unarchives', async () => {
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

    it('forks', async () => {
      const source = await trellis.factories.project(owner, { visibilityLevel: 20 });
      const forker = await trellis.factories.user({ projectsLimit: 10 });
      const answer = await go('POST', `projects/fork/${String(source.id)}`, 'null', forker);
      expect(answer.status).toBe(201);
      expect(JSON.parse(answer.text)).toMatchObject({
        path: source.path,
        forked_from_project: { id: source.id },
      });
    });

    it('protects and unprotects a branch', async () => {
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

    it('is asked for what is missing, as with an empty body', async () => {
      for (const body of ['null', '[]', '5', '"title"', 'false']) {
        const answer = await go('POST', `projects/${String(project.id)}/issues`, body);
        expect(answer.status).toBe(400);
        expect(JSON.parse(answer.text)).toEqual({ error: 'title is missing' });
      }
    });

    it('is refused where the body is not JSON', async () => {
      const answer = await go('POST', `projects/${String(project.id)}/star`, '{"a":');
      expect(answer.status).toBe(400);
      expect(JSON.parse(answer.text)).toEqual({ error: 'The request body is not valid JSON' });
    });
  });
});
