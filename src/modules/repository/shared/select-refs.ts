import type { Ref } from '../../../git/index.js';
import { pageTokenUnknown } from '../../../platform/errors/index.js';

/**
 * Selects refs by a part of their names, without case; `^` before it stands for the beginning, `$` behind it for the end.
 * @param prefix of the full names, which is not compared
 * @param search all refs when absent
 */
export function selectByName(
  refs: readonly Ref[],
  prefix: string,
  search: string | undefined,
): readonly Ref[] {
  if (search === undefined) return refs;
  const isAtStart = search.startsWith('^');
  const isAtEnd = search.length > 1 && search.endsWith('$');
  const part = search.slice(isAtStart ? 1 : 0, isAtEnd ? -1 : undefined).toLowerCase();
  return refs.filter(({ name }) => {
    const text = name.slice(prefix.length).toLowerCase();
    if (isAtStart && isAtEnd) return text === part;
    if (isAtStart) return text.startsWith(part);
    return isAtEnd ? text.endsWith(part) : text.includes(part);
  });
}

/**
 * Returns the refs behind one of them.
 * @param name without the prefix; all refs when absent
 * @throws DomainError page token unknown: there is no such ref
 */
export function refsBehind(
  refs: readonly Ref[],
  prefix: string,
  name: string | undefined,
): readonly Ref[] {
  if (name === undefined) return refs;
  const index = refs.findIndex((ref) => ref.name === prefix + name);
  if (index === -1) throw pageTokenUnknown(prefix + name);
  return refs.slice(index + 1);
}
