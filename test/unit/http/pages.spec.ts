import request from 'supertest';
import { mapPage, Page, windowOf } from '../../../src/platform/pagination/index.js';
import { pageHeaders } from '../../../src/platform/http/answers/page-headers.js';
import { tinyApp, type TinyApp } from './support/tiny-app.js';

const E = 'https://trellis.example';
const rows = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

describe('a page', () => {
  it('asks for one row more than it shows', () => {
    expect(windowOf({ page: 3, perPage: 20 })).toEqual({ offset: 40, limit: 21 });
    const page = Page.cut(rows(21), 61, { page: 3, perPage: 20 });
    expect([page.items.length, page.hasNext, page.total]).toEqual([20, true, 61]);
  });

  it('reports whether a long list continues, without its length', () => {
    const request = { page: 2, perPage: 20 };
    expect(Page.cut(rows(21), 10_001, request)).toMatchObject({ total: null, hasNext: true });
    expect(Page.cut(rows(20), 10_001, request)).toMatchObject({ total: null, hasNext: false });
    expect(Page.cut(rows(21), 10_000, request)).toMatchObject({ total: 10_000, hasNext: true });
  });

  it('of a truncated list has no length either', () => {
    const cut = { isCut: true };
    const first = Page.of(rows(25), { page: 1, perPage: 20 }, cut);
    expect([first.items, first.total, first.hasNext]).toEqual([rows(20), null, true]);
    const last = Page.of(rows(25), { page: 2, perPage: 20 }, cut);
    expect([last.items, last.total, last.hasNext]).toEqual([[20, 21, 22, 23, 24], null, false]);
  });

  it('presents its items and keeps the rest', () => {
    const page = mapPage(Page.of(rows(25), { page: 2, perPage: 20 }), (row) => ({ id: row }));
    expect(page.items.map(({ id }) => id)).toEqual([20, 21, 22, 23, 24]);
    expect(page).toMatchObject({ total: 25, page: 2, perPage: 20, hasNext: false });
  });
});

describe('page headers', () => {
  const headers = (count: number, page: number, perPage: number, query = '') =>
    pageHeaders(Page.of(rows(count), { page, perPage }), E, `/api/v3/projects${query}`);
  const url = (page: number, perPage: number) =>
    `<${E}/api/v3/projects?page=${page}&per_page=${perPage}>`;

  it('of a page in the middle', () => {
    expect(headers(45, 2, 20)).toEqual({
      'X-Total': '45',
      'X-Total-Pages': '3',
      'X-Per-Page': '20',
      'X-Page': '2',
      'X-Next-Page': '3',
      'X-Prev-Page': '1',
      Link: [
        `${url(1, 20)}; rel="prev"`,
        `${url(3, 20)}; rel="next"`,
        `${url(1, 20)}; rel="first"`,
        `${url(3, 20)}; rel="last"`,
      ].join(', '),
    });
  });

  it('of the first, the last and a page beyond', () => {
    expect(headers(40, 1, 20)).toMatchObject({ 'X-Next-Page': '2', 'X-Prev-Page': '' });
    const last = headers(40, 2, 20);
    expect(last).toMatchObject({ 'X-Next-Page': '', 'X-Prev-Page': '1', 'X-Total-Pages': '2' });
    expect(last['Link']).not.toContain('rel="next"');
    const beyond = headers(40, 9, 20);
    expect(beyond).toMatchObject({ 'X-Page': '9', 'X-Next-Page': '', 'X-Prev-Page': '8' });
    expect(beyond['Link']).toContain(`${url(8, 20)}; rel="prev"`);
    expect(beyond['Link']).not.toContain('rel="next"');
  });

  it('of a list whose pages are counted from 0', () => {
    const from0 = (count: number, page: number): Record<string, unknown> => {
      const request = { page, perPage: 20, firstPage: 0 } as const;
      const cut = mapPage(Page.of(rows(count), request), (row) => row);
      return { items: cut.items, ...pageHeaders(cut, E, '/api/v3/projects') };
    };
    const first = `${url(0, 20)}; rel="first"`;
    const last = `${url(2, 20)}; rel="last"`;
    expect(from0(45, 0)).toEqual({
      items: rows(20),
      'X-Total': '45',
      'X-Total-Pages': '3',
      'X-Per-Page': '20',
      'X-Page': '0',
      'X-Next-Page': '1',
      'X-Prev-Page': '',
      Link: [`${url(1, 20)}; rel="next"`, first, last].join(', '),
    });
    expect(from0(45, 1)).toMatchObject({
      'X-Page': '1',
      'X-Next-Page': '2',
      'X-Prev-Page': '0',
      Link: [`${url(0, 20)}; rel="prev"`, `${url(2, 20)}; rel="next"`, first, last].join(', '),
    });
    expect(from0(45, 2)).toMatchObject({
      items: [40, 41, 42, 43, 44],
      'X-Next-Page': '',
      'X-Prev-Page': '1',
      Link: [`${url(1, 20)}; rel="prev"`, first, last].join(', '),
    });
    expect(from0(40, 1)).toMatchObject({ 'X-Next-Page': '', 'X-Total-Pages': '2' });
    expect(from0(40, 2)).toMatchObject({ items: [], 'X-Page': '2', 'X-Next-Page': '' });
    expect(from0(0, 0)).toMatchObject({
      'X-Total-Pages': '0',
      Link: `${first}, ${url(0, 20)}; rel="last"`,
    });
    expect(from0(10_001, 499)['X-Next-Page']).toBe('500');
  });

  it('of an empty list', () => {
    expect(headers(0, 1, 20)).toMatchObject({
      'X-Total': '0',
      'X-Total-Pages': '0',
      Link: `${url(1, 20)}; rel="first", ${url(1, 20)}; rel="last"`,
    });
  });

  it('of a query that would make the links too long', () => {
    const query = (length: number) => `?search=${'x'.repeat(length)}`;
    expect(headers(45, 2, 20, query(1_000))).toHaveProperty('Link');
    const long = headers(45, 2, 20, query(4_000));
    expect(long).not.toHaveProperty('Link');
    expect(long).toMatchObject({ 'X-Total': '45', 'X-Next-Page': '3', 'X-Prev-Page': '1' });
  });

  it('of a list too long to count', () => {
    const page = Page.cut(rows(21), 10_001, { page: 2, perPage: 20 });
    const long = pageHeaders(page, E, '/api/v3/projects');
    expect(long).not.toHaveProperty('X-Total');
    expect(long).not.toHaveProperty('X-Total-Pages');
    expect(long).toMatchObject({ 'X-Next-Page': '3' });
    expect(long['Link']).not.toContain('rel="last"');
    expect(long['Link']).toContain('rel="next"');
  });

  it('keeps the other parameters once, without secrets and commas', () => {
    const query =
      '?labels=a,b&private_token=t&state=opened&page=7&sudo=zoe&state=closed&sort&iid[]=4&iid[]=7&x=%3C%22%3E+';
    const link = headers(1, 1, 20, query)['Link'] ?? '';
    expect(link.split(', ')[0]).toBe(
      `<${E}/api/v3/projects?labels=a%2Cb&state=closed&iid%5B%5D=4&iid%5B%5D=7&x=%3C%22%3E%20&page=1&per_page=20>; rel="first"`,
    );
    expect(link.split(',')).toHaveLength(2);
  });

  it('escapes a comma in the path', () => {
    const page = Page.of(rows(1), { page: 1, perPage: 20 });
    const link = pageHeaders(page, E, '/api/v3/projects/a%2Fb/search/x,y?')['Link'] ?? '';
    expect(link).toContain('/projects/a%2Fb/search/x%2Cy?page=1');
  });
});

describe('a list over HTTP', () => {
  let tiny: TinyApp;

  beforeAll(async () => {
    tiny = await tinyApp();
  });

  afterAll(() => tiny.close());

  it('returns the items, with headers that name the external address', async () => {
    const path = '/api/v3//things/?per_page=2&page=2&per_page=2&state=x';
    const response = await request(tiny.app.getHttpServer()).get(path).expect(200);
    expect(response.body).toEqual([{ id: 3 }, { id: 4 }]);
    expect(response.headers['x-total-pages']).toBe('23');
    expect(response.headers['link']).toContain(
      `<${E}/api/v3/things?state=x&page=3&per_page=2>; rel="next"`,
    );
  });

  it('returns an empty list beyond the end, and 400 for an invalid number', async () => {
    const get = (query: string) => request(tiny.app.getHttpServer()).get(`/api/v3/things${query}`);
    await get('?page=99').expect(200, []);
    await get('?page=99999999999999999999').expect(200, []);
    await get('?page=x').expect(400, { error: 'page is invalid' });
    await get('?page[]=1').expect(400, { error: 'page is invalid' });
  });
});
