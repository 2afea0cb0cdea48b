import { readdirSync, readFileSync } from 'node:fs';
import { BrowserSession } from '../../support/browser-session.js';
import { Trellis } from '../../support/trellis.js';

describe('the documents that the service serves', () => {
  let trellis: Trellis;

  beforeAll(async () => {
    trellis = await Trellis.shared();
  });

  const get = (address: string) => new BrowserSession(trellis).get(address);
  const unescape = (text: string) =>
    text.replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&amp;', '&');
  const all = (text: string, pattern: RegExp): string[] =>
    [...text.matchAll(pattern)].map(([, found = '']) => unescape(found));

  it('are all linked from the first page, without dead links', async () => {
    const pages = new Map<string, string>();
    const linkedFrom = new Map([['/help', 'the test']]);
    const dead: string[] = [];
    const anchors: [page: string, address: string, anchor: string][] = [];
    for (const [address, page] of linkedFrom) {
      const { status, headers, text } = await get(address);
      if (status !== 200) dead.push(`${page} links to ${address}: ${String(status)}`);
      if (headers.get('content-type') !== 'text/html; charset=utf-8') continue;
      pages.set(address, text);
      for (const link of all(text, /<(?:a|img|link)\s[^>]*?(?:href|src)="([^"]*)"/g)) {
        if (/^(?:https?|data|mailto):/.test(link)) continue;
        const [to = '', anchor] = link.split('#');
        const target = to === '' ? address : to;
        if (anchor !== undefined) anchors.push([address, target, anchor]);
        // Others are not of the documents, and looked at once.
        const isFollowed = address.startsWith('/help') || target.startsWith('/help');
        if (isFollowed && !linkedFrom.has(target)) linkedFrom.set(target, address);
      }
    }
    for (const [page, target, anchor] of anchors) {
      const ids = all(pages.get(target) ?? '', /\sid="([^"]*)"/g);
      if (!ids.includes(decodeURIComponent(anchor))) dead.push(`${page}: ${target}#${anchor}`);
    }
    expect(dead).toEqual([]);
    expect(anchors.length).toBeGreaterThan(500);
    const documents = readdirSync('docs', { recursive: true })
      .map(String)
      .filter((name) => name.endsWith('.md'));
    const missing = documents.filter((name) => {
      const page = `/help/${name}`.replace(/(?:\/README)?\.md$/, '');
      return pages.get(page)?.includes('<h1 id="') !== true;
    });
    expect(documents.length).toBeGreaterThan(90);
    expect(missing).toEqual([]);
    const images = all([...pages.values()].join('\n'), /<img src="([^"]*)"/g);
    expect(images.length).toBeGreaterThan(2);
  });

  it('are linked from the start page and the explorer', async () => {
    const { text: start } = await get('/');
    expect(all(start, /<li><a href="([^"]*)"/g)).toEqual([
      ...['/help', '/help/reference', '/api/v3/docs', '/api/v3/openapi.json'],
      ...['/readyz', '/healthz'],
    ]);
    const { text: explorer } = await get('/api/v3/docs');
    expect(explorer).toContain('href="/help/reference"');
  });

  it('are found by search, with matches in headings first', async () => {
    const { text } = await get('/help/search?q=POST+issues+Confidential');
    const [first] = all(text, /<li><a href="([^"]*)"/g);
    expect(first).toBe('/help/reference/issues#post-projectsidissues');
    expect(text).toContain('<mark>');
    const searched = async (query: string) => {
      const answer = await get(`/help/search?${new URLSearchParams({ q: query }).toString()}`);
      return [answer.status, all(answer.text, /<li><a href="([^"]*)"/g).length] as const;
    };
    expect(await searched('no-such-word-anywhere')).toEqual([200, 0]);
    expect(await searched('<script>(.*[')).toEqual([200, 0]);
    expect(await searched('the')).toEqual([200, 30]);
    expect(await searched(' ')).toEqual([200, 0]);
    expect(await searched('x'.repeat(201))).toEqual([400, 0]);
  });

  it('are the documents of the package and nothing else', async () => {
    const outside = [
      ...['/help/no-such-page', '/help/files', '/help/files/package.json', '/help/issues.md'],
      ...['/help/..%2fpackage', '/help/files/docs/..%2f..%2fpackage.json'],
      ...['/help/files//etc/passwd', '/help/files/docs/.vitepress/config.mjs', '/help/%ff'],
    ];
    for (const address of outside) {
      const { status } = await get(address);
      expect([address, status]).toEqual([address, address === '/help/%ff' ? 400 : 404]);
    }
  });

  it('are pages and files that run no scripts', async () => {
    const { text, headers } = await get('/help/operations');
    expect(text).not.toMatch(/<(?:script|iframe|style)\b|<!--/);
    expect(headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; style-src 'self';/,
    );
    const file = await get('/help/files/docker/nginx/trellis.conf');
    expect(file.text).toBe(readFileSync('docker/nginx/trellis.conf', 'utf8'));
    expect(Object.fromEntries(file.headers)).toMatchObject({
      'content-type': 'text/plain; charset=utf-8',
      'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
      'x-content-type-options': 'nosniff',
    });
    const picture = await get('/help/files/docs/images/console.png');
    expect(picture.headers.get('content-type')).toBe('image/png');
  });
});
