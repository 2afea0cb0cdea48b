import type { Response } from 'supertest';
import type { Client } from '../../support/client.js';
import { type Person, unique } from '../../support/factories.js';
import { PushedProjects } from '../../support/pushed-projects.js';
import { Trellis } from '../../support/trellis.js';

jest.setTimeout(180_000);

interface Named {
  name: string;
  username: string;
}

describe('keyset pages of version 4', () => {
  let trellis: Trellis;
  let person: Person;
  let admin: Person;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    person = await trellis.factories.user();
    admin = await trellis.factories.admin();
  });

  /** Follows the links of a list to its end; each page has a link to the next one alone. */
  const follow = async (client: Client, list: string): Promise<Named[][]> => {
    const pages: Named[][] = [];
    for (let path: string | undefined = list; path !== undefined;) {
      const answer: Response = await client.get(path).expect(200);
      pages.push(answer.body as Named[]);
      const { link = '', ...others } = answer.headers as Partial<Record<string, string>>;
      expect(Object.keys(others).filter((name) => /^x-(?:page|total|next)/.test(name))).toEqual([]);
      path = /^<[^>]*\/api\/v4(\/[^>]*)>; rel="next"$/.exec(link)?.[1];
      expect(path === undefined).toBe(link === '');
    }
    return pages;
  };
  const namesOf = (pages: Named[][]) => pages.map((page) => page.map(({ name }) => name));
  const keyset = 'pagination=keyset&per_page=2';
  const refused = async (client: Client, path: string, status: number, body: object) => {
    const answer = await client.get(path).expect(status);
    expect(answer.body).toEqual(body);
  };

  it('list groups by name in both directions, behind a name', async () => {
    const names = ['a', 'b', 'c'].map((letter) => `${letter}-${unique()}`);
    for (const name of names) await trellis.factories.group(person, { name });
    const { v4 } = trellis.as(person);
    const [a, b, c] = names;
    expect(namesOf(await follow(v4, `/groups?${keyset}&order_by=name`))).toEqual([[a, b], [c]]);
    expect(namesOf(await follow(v4, `/groups?${keyset}&sort=desc`))).toEqual([[c, b], [a]]);
    const begin = await v4.get(`/groups?${keyset}`).expect(200);
    const next = /\/groups\?[^>]*/.exec(begin.headers['link'] as string)?.[0] ?? '';
    await trellis.factories.group(person, { name: `aa-${unique()}` });
    expect(namesOf(await follow(v4, next))).toEqual([[c]]);
    await refused(v4, `/groups?${keyset}&order_by=path`, 405, {
      error: 'Keyset pagination is not yet available for this type of request',
    });
    const odd = Buffer.from('{"name":1,"id":1}').toString('base64url');
    for (const cursor of ['odd', odd, 'bnVsbA']) {
      const body = { message: `Invalid page token: ${cursor}` };
      await refused(v4, `/groups?${keyset}&cursor=${cursor}`, 422, body);
    }
  });

  it('list users by ID, newest first, for administrators with all fields', async () => {
    const prefix = `key${unique()}`;
    const made: string[] = [];
    for (const letter of ['a', 'b', 'c']) {
      const { user } = await trellis.factories.user({ username: `${prefix}${letter}` });
      made.unshift(user.username);
    }
    for (const one of [person, admin]) {
      const pages = await follow(trellis.as(one).v4, `/users?search=${prefix}&${keyset}`);
      const found = pages.map((page) => page.map(({ username }) => username));
      expect(found).toEqual([made.slice(0, 2), made.slice(2)]);
    }
    const whole = await follow(trellis.anonymous.v4, `/users?username=${prefix}a&${keyset}`);
    expect(whole).toMatchObject([[{ username: `${prefix}a` }]]);
    const large = Buffer.from('{"id":99999999999}').toString('base64url');
    await refused(trellis.as(person).v4, `/users?${keyset}&cursor=${large}`, 422, {
      message: `Invalid page token: ${large}`,
    });
  });

  describe('of refs', () => {
    let projects: PushedProjects;
    let base: string;
    let v4: Client;
    beforeAll(async () => {
      projects = new PushedProjects(trellis, person);
      const { project } = await projects.make();
      base = `/projects/${String(project.id)}/repository`;
      ({ v4 } = trellis.as(person));
      for (const name of ['a/b', 'c', 'd']) {
        await v4.post(`${base}/branches`, { branch: name, ref: 'master' }).expect(201);
        const tag = { tag_name: name, ref: 'master', release_description: 'x'.repeat(600_000) };
        await v4.post(`${base}/tags`, tag).expect(201);
      }
    });
    afterAll(() => projects.remove());

    it('list branches behind a name', async () => {
      const pages = await follow(v4, `${base}/branches?${keyset}`);
      expect(namesOf(pages)).toEqual([
        ['a/b', 'c'],
        ['d', 'master'],
      ]);
      const found = await follow(v4, `${base}/branches?${keyset}&search=a`);
      expect(namesOf(found)).toEqual([['a/b', 'master']]);
      const behind = await v4.get(`${base}/branches?${keyset}&page_token=a/b`).expect(200);
      expect(namesOf([behind.body as Named[]])).toEqual([['c', 'd']]);
      await refused(v4, `${base}/branches?${keyset}&page_token=b`, 422, {
        message: 'Invalid page token: refs/heads/b',
      });
      const numbered = await v4.get(`${base}/branches?per_page=2`).expect(200);
      expect(numbered.headers).toMatchObject({ 'x-total': '4' });
    });

    it('list tags behind a name, however long their texts are', async () => {
      for (const [order, expected] of [
        ['order_by=name&sort=asc', [['a/b', 'c'], ['d']]],
        ['order_by=version&sort=desc', [['d', 'c'], ['a/b']]],
      ] as const) {
        expect(namesOf(await follow(v4, `${base}/tags?${keyset}&${order}`))).toEqual(expected);
      }
      const all = `${base}/tags?pagination=keyset&per_page=3&order_by=name&sort=asc`;
      expect(namesOf(await follow(v4, all))).toEqual([['a/b', 'c', 'd']]);
      await refused(v4, `${base}/tags?${keyset}&page_token=unknown`, 422, {
        message: 'Invalid page token: refs/tags/unknown',
      });
    });
  });
});
