// Notes how many tests passed, failed and were skipped, and in how many files, for scripts/jest.mjs. Jest's own --json would also print the file's name.
import { writeFileSync } from 'node:fs';
import path from 'node:path';

export default function processResults(results) {
  const counts = {
    passed: results.numPassedTests,
    failed: results.numFailedTests + results.numRuntimeErrorTestSuites,
    skipped: results.numPendingTests + results.numTodoTests,
    files: results.testResults.length,
  };
  writeFileSync(path.join(process.env.TEST_NOTES, 'results.json'), JSON.stringify(counts));
  return results;
}
