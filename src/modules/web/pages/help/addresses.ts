import path from 'node:path';
import { HELP_PREFIX } from '../../../../platform/http/index.js';

const SCHEME = /^[a-z][a-z0-9+.-]*:/i;

/**
 * The path of a document, or of a file that documents show or link to: `docs/reference/issues.md` is read at
 * `/help/reference/issues`, `docs/reference/README.md` at `/help/reference`, and `docker/compose.yml` below `/help/files`.
 * @param name relative to the folder of package.json
 */
export function pathOf(name: string): string {
  if (!name.endsWith('.md')) return `${HELP_PREFIX}/files/${name}`;
  const page = name.replace(/^docs\//, '').replace(/(?:(?:^|\/)README)?\.md$/, '');
  return page === '' ? HELP_PREFIX : `${HELP_PREFIX}/${page}`;
}

/**
 * Where a link of a document leads.
 * @param name of the document that has it
 * @param target as the document has it
 * @param base to be put before paths of this service
 */
export function addressOfLink(name: string, target: string, base: string): string {
  const [file = '', anchor] = target.split('#');
  if (file === '' || SCHEME.test(file)) return target;
  const address = base + pathOf(path.posix.join(path.posix.dirname(name), file));
  return anchor === undefined ? address : `${address}#${anchor}`;
}
