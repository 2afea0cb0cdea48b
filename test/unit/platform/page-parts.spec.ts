import {
  describeInParts,
  mapPage,
  Page,
  type SizedRow,
} from '../../../src/platform/pagination/index.js';
import { LISTED_TEXT_BYTES, TEXT_BYTES_PER_PART } from '../../../src/platform/limits/index.js';

const REQUEST = { page: 1, perPage: 100 };

/** A page of rows of these sizes in parts, and the parts that it was made of. */
async function pageOf(sizes: readonly number[]) {
  const rows = sizes.map((textBytes, index) => ({ id: index + 1, textBytes }));
  const parts: number[][] = [];
  const page = await describeInParts<SizedRow, string>(
    Page.of(rows, REQUEST),
    ({ textBytes }) => textBytes,
    (part) => {
      parts.push(part.map(({ id }) => id));
      return Promise.resolve(part.map(({ id }) => `#${String(id)}`));
    },
  );
  return { page, parts };
}

async function restOf<T>(page: Page<T>): Promise<T[]> {
  const items: T[] = [];
  for await (const part of page.rest?.() ?? []) items.push(...part);
  return items;
}

describe('a page in parts', () => {
  it('is one part while its texts are short', async () => {
    const { page, parts } = await pageOf([LISTED_TEXT_BYTES - 1, 1, 0]);
    expect(page.items).toEqual(['#1', '#2', '#3']);
    expect(page.rest).toBeNull();
    expect(parts).toEqual([[1, 2, 3]]);
  });

  it('is empty for an empty page', async () => {
    const { page, parts } = await pageOf([]);
    expect(page).toMatchObject({ items: [], rest: null });
    expect(parts).toEqual([]);
  });

  it('loads later items on demand, a few at a time', async () => {
    const half = TEXT_BYTES_PER_PART / 2;
    const sizes = [10, LISTED_TEXT_BYTES, half, half, 3 * half, 0, 0];
    const { page, parts } = await pageOf(sizes);
    expect(page.items).toEqual(['#1']);
    expect(parts).toEqual([[1]]);
    expect(await restOf(page)).toEqual(['#2', '#3', '#4', '#5', '#6', '#7']);
    expect(parts).toEqual([[1], [2, 3], [4], [5], [6, 7]]);
  });

  it('starts with a long text alone', async () => {
    const { page } = await pageOf([LISTED_TEXT_BYTES + 1, 1]);
    expect(page.items).toEqual([]);
    expect(await restOf(page)).toEqual(['#1', '#2']);
    expect(page).toMatchObject({ total: 2, perPage: 100, hasNext: false });
  });

  it('is presented with the positions of its items', async () => {
    const { page } = await pageOf([1, TEXT_BYTES_PER_PART, TEXT_BYTES_PER_PART]);
    const presented = mapPage(page, (item, index) => `${item} at ${String(index)}`);
    expect(presented.items).toEqual(['#1 at 0']);
    expect(await restOf(presented)).toEqual(['#2 at 1', '#3 at 2']);
  });
});
