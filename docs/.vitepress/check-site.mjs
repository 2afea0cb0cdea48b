import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const read = (file) => readFileSync(file, 'utf8');

/**
 * Fails the build for a link of the site that leads nowhere, anchors included, and for a page that loads something from
 * elsewhere. VitePress itself looks at the paths of links only, and only at those of Markdown.
 * @param {string} outDir
 * @param {string} base the path that the site will have on its server
 */
export function checkSite(outDir, base) {
  const pages = readdirSync(outDir, { recursive: true }).filter((name) => name.endsWith('.html'));
  const texts = new Map(pages.map((page) => [page, read(path.join(outDir, page))]));
  const anchors = new Map(
    [...texts].map(([page, text]) => [page, new Set(matches(text, /\sid="([^"]+)"/g))]),
  );
  const broken = [...texts].flatMap(([page, text]) => [
    ...matches(text, /<a\s[^>]*?href="([^"]+)"/g)
      .filter((href) => !isFound(href, page))
      .map((href) => `${page} links to ${href}`),
    ...matches(
      text,
      /<(?:script|link|img|iframe)\s[^>]*?(?:src|href)="((?:https?:)?\/\/[^"]+)"/g,
    ).map((address) => `${page} loads ${address}`),
  ]);
  if (broken.length > 0) throw new Error(`The site is not whole:\n${broken.join('\n')}`);

  function isFound(href, page) {
    if (/^[a-z][a-z0-9+.-]*:/.test(href)) return true;
    const [address, anchor] = unescape(href).split('#');
    const file = address === '' ? page : fileOf(address, page);
    if (!anchor) return existsSync(path.join(outDir, file));
    return anchors.get(file)?.has(decodeURIComponent(anchor)) ?? false;
  }

  function fileOf(address, page) {
    const from = path.posix.join('/', path.posix.dirname(page), '/');
    const relative = address.startsWith(base) ? `/${address.slice(base.length)}` : address;
    const { pathname } = new URL(relative, `http://site${from}`);
    const file = decodeURIComponent(pathname).slice(1);
    return file === '' || file.endsWith('/') ? `${file}index.html` : file;
  }
}

const matches = (text, pattern) => [...text.matchAll(pattern)].map(([, found]) => found);
const unescape = (text) => text.replaceAll('&amp;', '&');
