/** Counting stops here: beyond, a list says neither how long it is nor which page is its last. */
export const COUNTED_ITEMS = 10_000;

/** What a list is asked for; both numbers are already brought into their limits. */
export interface PageRequest {
  readonly page: number;
  readonly perPage: number;
  /** The number of the first page; 1 when absent. */
  readonly firstPage?: FirstPage;
}

/** Returns a request without the other parameters of the DTO that it may be: a part of a key, and of what is kept. */
export function plainRequest({ page, perPage, firstPage }: PageRequest): PageRequest {
  return { page, perPage, ...(firstPage === undefined ? {} : { firstPage }) };
}

/** What the pages of a list are counted from. */
export type FirstPage = 0 | 1;

/** Which page of a list it is, and what is known of the others. */
export type PageNumbers = Pick<
  Page<unknown>,
  'total' | 'page' | 'perPage' | 'hasNext' | 'firstPage' | 'following'
>;

/** The parameters by which a list goes on behind the last item of a page; null behind its last page. */
export type FollowingPage = Readonly<Record<string, string>> | null;

/** One page of a list. A handler that returns it answers the items; the rest becomes headers. */
export class Page<T> {
  /**
   * @param total number of items of the whole list, null when it is longer than `COUNTED_ITEMS`
   * @param page the page's number
   * @param perPage the effective page size
   * @param firstPage the number of the list's first page
   * @param rest makes the items behind `items` that the page has as well, some at a time; see `describeInParts`
   * @param following of a list whose pages are not numbered but begin behind an item
   */
  constructor(
    readonly items: readonly T[],
    readonly total: number | null,
    readonly page: number,
    readonly perPage: number,
    readonly hasNext: boolean,
    readonly firstPage: FirstPage = 1,
    readonly rest: (() => AsyncGenerator<readonly T[]>) | null = null,
    readonly following?: FollowingPage,
  ) {}

  /** The same page of the same list with other items, such as these with their relations. */
  withItems<V>(
    items: readonly V[],
    rest: (() => AsyncGenerator<readonly V[]>) | null = null,
  ): Page<V> {
    const { total, page, perPage, hasNext, firstPage, following } = this;
    return new Page(items, total, page, perPage, hasNext, firstPage, rest, following);
  }

  /**
   * The same page of a list whose pages are not numbered.
   * @param parameters made of the last item, for a page that is not the last one
   */
  followedBy(parameters: (last: T) => Readonly<Record<string, string>>): Page<T> {
    const { items, total, page, perPage, hasNext, firstPage, rest } = this;
    const last = items.at(-1);
    const following = hasNext && last !== undefined ? parameters(last) : null;
    return new Page(items, total, page, perPage, hasNext, firstPage, rest, following);
  }

  /**
   * Makes a page of a query's rows.
   *
   * @param rows the rows of `windowOf(request)`: the page's and, as far as there are more, one beyond
   * @param counted the number of items, exact up to `COUNTED_ITEMS`; any larger number says "more"
   */
  static cut<T>(rows: readonly T[], counted: number, request: PageRequest): Page<T> {
    const { page, perPage, firstPage } = request;
    const total = counted > COUNTED_ITEMS ? null : counted;
    const end = windowOf(request).offset + perPage;
    const hasNext = total === null ? rows.length > perPage : end < total;
    return new Page(rows.slice(0, perPage), total, page, perPage, hasNext, firstPage);
  }

  /**
   * Cuts a page out of a list that is in memory.
   *
   * @param options.isCut whether the list itself was cut, and so does not say how long it is
   */
  static of<T>(all: readonly T[], request: PageRequest, { isCut = false } = {}): Page<T> {
    const { offset, limit } = windowOf(request);
    const counted = isCut ? COUNTED_ITEMS + 1 : all.length;
    return Page.cut(all.slice(offset, offset + limit), counted, request);
  }
}

/** Offset and limit of a page's query; the limit is one row more than the page, see `Page.cut`. */
export function windowOf(request: PageRequest): { offset: number; limit: number } {
  const { page, perPage, firstPage = 1 } = request;
  return { offset: (page - firstPage) * perPage, limit: perPage + 1 };
}

/**
 * The number of rows, as part of a statement's text, that a statement for a page reads of each part of its list: so many
 * that there are few texts. Null for a page so far back that its statement is not kept prepared
 * (docs/decisions/0039-project-lists.md).
 */
export function preparedRows(request: PageRequest): number | null {
  const { offset, limit } = windowOf(request);
  return PREPARED_ROWS.find((rows) => offset + limit <= rows) ?? null;
}

/** The first page of the usual size and the first hundred rows, each with the row behind it. */
const PREPARED_ROWS = [21, 101];

/** The same page with every item presented. */
export function mapPage<T, V>(page: Page<T>, present: (item: T, index: number) => V): Page<V> {
  const { items, rest } = page;
  const presented = items.map(present);
  if (rest === null) return page.withItems(presented);
  const presentedRest = async function* (): AsyncGenerator<readonly V[]> {
    let before = items.length;
    for await (const part of rest()) {
      yield part.map((item, index) => present(item, before + index));
      before += part.length;
    }
  };
  return page.withItems(presented, presentedRest);
}

/** The same page with its items presented as many at a time as it has them in parts, for presenters that load more. */
export async function mapPageInParts<T, V>(
  page: Page<T>,
  present: (items: readonly T[]) => Promise<readonly V[]>,
): Promise<Page<V>> {
  const { items, rest } = page;
  const presented = items.length === 0 ? [] : await present(items);
  if (rest === null) return page.withItems(presented);
  const presentedRest = async function* (): AsyncGenerator<readonly V[]> {
    for await (const part of rest()) yield part.length === 0 ? [] : await present(part);
  };
  return page.withItems(presented, presentedRest);
}
