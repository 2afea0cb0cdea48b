/** Batches in the order of their names, which number them so that all workers end together (scripts/batches.mjs). */
export default class BatchSequencer {
  sort(tests) {
    const nameOf = ({ path }) => path.slice(path.lastIndexOf('/') + 1);
    return [...tests].sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
  }

  allFailedTests(tests) {
    return tests;
  }

  shard(tests) {
    return tests;
  }

  cacheResults() {}
}
