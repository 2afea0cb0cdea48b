import type { FollowingPage, PageNumbers } from '../../pagination/index.js';

/** Clients take 16 KiB of headers at most, and proxies before them often 8. */
const MAX_LINKS = 6 * 1024;
const REPLACED = ['page', 'per_page', 'private_token', 'sudo'];

/**
 * The pagination headers of a page (docs/reference/pagination.md#headers). Links that repeat a very
 * long query are left out: clients and proxies refuse headers that large. A page that is not numbered has a link to the
 * following one alone.
 *
 * @param externalUrl the service's own address without a trailing slash
 * @param requestUrl path and query string of the request
 */
export function pageHeaders(
  page: PageNumbers,
  externalUrl: string,
  requestUrl: string,
): Record<string, string> {
  const { total, page: number, perPage, hasNext, firstPage, following } = page;
  if (following !== undefined) return followingLink(following, perPage, externalUrl, requestUrl);
  const pages = total === null ? null : Math.ceil(total / perPage);
  const links = linkHeader(page, pages, externalUrl, requestUrl);
  return {
    ...(total === null ? {} : { 'X-Total': String(total) }),
    ...(pages === null ? {} : { 'X-Total-Pages': String(pages) }),
    'X-Per-Page': String(perPage),
    'X-Page': String(number),
    'X-Next-Page': hasNext ? String(number + 1) : '',
    'X-Prev-Page': number > firstPage ? String(number - 1) : '',
    ...(links.length > MAX_LINKS ? {} : { Link: links }),
  };
}

function followingLink(
  following: FollowingPage,
  perPage: number,
  externalUrl: string,
  requestUrl: string,
): Record<string, string> {
  if (following === null) return {};
  const base = linkBase(externalUrl, requestUrl, Object.keys(following));
  const query = new URLSearchParams({ per_page: String(perPage), ...following });
  const link = `<${base}${query.toString()}>; rel="next"`;
  return link.length > MAX_LINKS ? {} : { Link: link };
}

function linkHeader(
  { page, perPage, hasNext, firstPage }: PageNumbers,
  pages: number | null,
  externalUrl: string,
  requestUrl: string,
): string {
  const base = linkBase(externalUrl, requestUrl);
  const link = (rel: string, target: number): string =>
    `<${base}page=${target}&per_page=${perPage}>; rel="${rel}"`;
  return [
    ...(page > firstPage ? [link('prev', page - 1)] : []),
    ...(hasNext ? [link('next', page + 1)] : []),
    link('first', firstPage),
    ...(pages === null ? [] : [link('last', firstPage + Math.max(pages, 1) - 1)]),
  ].join(', ');
}

function linkBase(externalUrl: string, requestUrl: string, replaced: string[] = []): string {
  const [path = '', ...rest] = requestUrl.split('?');
  const kept = keptParameters(rest.join('?'), new Set([...REPLACED, ...replaced]));
  const safePath = path.replace(/[^\w\-.~%/!$&'()=*+:@]/g, encodeURIComponent);
  return `${externalUrl}${safePath}?${kept.map((pair) => `${pair}&`).join('')}`;
}

// One client adds its parameters again to every link it follows; each is kept once, so that the links
// do not grow from page to page.
function keptParameters(query: string, replaced: ReadonlySet<string>): string[] {
  const kept = new Map<string, string>();
  for (const pair of query.split('&')) {
    const cut = pair.indexOf('=');
    // A key without `=` is not given.
    if (cut < 0) continue;
    const name = decoded(pair.slice(0, cut));
    const value = decoded(pair.slice(cut + 1));
    if (name === undefined || value === undefined || name === '' || replaced.has(name)) continue;
    const text = `${encodeURIComponent(name)}=${encodeURIComponent(value)}`;
    kept.set(name.includes('[') ? text : name, text);
  }
  return [...kept.values()];
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}
