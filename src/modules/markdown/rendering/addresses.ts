import type { RenderContext } from './rendered-text.js';

/** Before IDs of texts, so that they are none of the page that shows them. */
export const ID_PREFIX = 'user-content-';

/** An address in a text as it is written into HTML. */
interface ResolvedAddress {
  readonly href: string;
  /** Whether it leads to another server. */
  readonly isExternal: boolean;
}

const BASE = 'https://repository.invalid/';
const SCHEME = /^[a-z][a-z0-9+.-]*:/i;
const UPLOAD = /^\/uploads\/[0-9a-f]{32}\/[^/]+$/;

/** Returns the ID that a text gives to an element. */
export const prefixedId = (id: string): string =>
  id.startsWith(ID_PREFIX) ? id : `${ID_PREFIX}${id}`;

/**
 * Resolves the address of a link or image. Uploads are those of the project, other relative addresses name files of its
 * default branch, from the root of the repository.
 */
export function resolveAddress(
  address: string,
  { externalUrl, project }: Pick<RenderContext, 'externalUrl' | 'project'>,
  kind: 'link' | 'image',
): ResolvedAddress {
  const href = address.trim();
  if (href.startsWith('#')) {
    return { href: href === '#' ? href : `#${prefixedId(href.slice(1))}`, isExternal: false };
  }
  if (SCHEME.test(href)) {
    const isOwn = href === externalUrl || href.startsWith(`${externalUrl}/`);
    return { href, isExternal: !isOwn };
  }
  const url = URL.canParse(href, BASE) ? new URL(href, BASE) : null;
  if (url === null || !url.href.startsWith(BASE)) return { href, isExternal: true };
  if (project === null || href === '' || href.startsWith('?')) return { href, isExternal: false };
  const { pathname, search, hash } = url;
  if (UPLOAD.test(pathname)) return { href: project.address + pathname, isExternal: false };
  if (project.branch === null) return { href, isExternal: false };
  const folder = kind === 'image' ? 'raw' : 'blob';
  const branch = project.branch.split('/').map(encodeURIComponent).join('/');
  const file = `${project.address}/-/${folder}/${branch}${pathname}${search}${hash}`;
  return { href: file, isExternal: false };
}
