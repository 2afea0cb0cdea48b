import { EnumParam, PageQuery, StringParam } from '../../../platform/http/index.js';
import { type Page, type PageRequest, plainRequest } from '../../../platform/pagination/index.js';

/** The longest path of file systems; bytes. */
const MAX_TOKEN = 4_096;

/** A list of what a repository has, with pages by number or behind an item. */
export class V4KeysetQuery extends PageQuery {
  @EnumParam(['legacy', 'keyset'], {
    description: 'Pages by number, which is the default, or behind an item.',
  })
  pagination?: 'legacy' | 'keyset';

  @StringParam({
    blank: 'absent',
    maxLength: MAX_TOKEN,
    description: 'Of keyset pages: the name or path of the last item of the page before.',
  })
  page_token?: string;
}

/** The page that is asked for; of keyset pages the first one behind the item `after`. */
export const toKeysetRequest = (
  query: V4KeysetQuery,
): { request: PageRequest; after?: string | undefined } =>
  query.pagination === 'keyset'
    ? { request: { page: 1, perPage: query.perPage }, after: query.page_token }
    : { request: plainRequest(query) };

/** Returns the page with the parameter by which the list goes on, if it has keyset pages. @param nameOf an item */
export const followedByToken = <T>(
  page: Page<T>,
  { pagination }: V4KeysetQuery,
  nameOf: (item: T) => string,
): Page<T> =>
  pagination === 'keyset' ? page.followedBy((last) => ({ page_token: nameOf(last) })) : page;
