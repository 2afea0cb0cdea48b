/** Unit and contract tests first, then batches in the order of their names: long ones come first. */
export default class BatchSequencer {
  sort(tests) {
    const number = ({ path }) => Number(/(\d+)\.spec\.ts$/.exec(path)?.[1] ?? -1);
    return [...tests].sort((a, b) => number(a) - number(b));
  }

  allFailedTests(tests) {
    return tests;
  }

  shard(tests) {
    return tests;
  }

  cacheResults() {}
}
