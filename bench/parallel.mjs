const AT_ONCE = 8;

/**
 * Does work for each of some items, eight at a time.
 * @template Item, Result
 * @param {Iterable<Item>} items
 * @param {(item: Item) => Promise<Result>} work
 * @returns {Promise<Result[]>} in the order in which it was done
 */
export async function inParallel(items, work) {
  const results = [];
  const left = items[Symbol.iterator]();
  const worker = async () => {
    for (let next = left.next(); !next.done; next = left.next())
      results.push(await work(next.value));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return results;
}
