// Puts end-to-end suites into batches for a run of all of them. Jest loads every module anew for each
// file it runs; in a batch, suites share what was loaded, which saves half of the time of most.
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { inRoot } from './paths.mjs';

const SUITES = inRoot('test', 'e2e');
const BATCHES = inRoot('test', 'batches');
const SUITES_IN_BATCH = 8;
/** They take longer than a whole batch, so each goes by itself, and first. */
const LONG = new Set([
  ...['hostile-inputs', 'concurrent-writers', 'crash', 'repository-fuzz', 'roles'],
  ...['lifecycle', 'agreement-content', 'agreement-commits', 'commit-races', 'issue-model'],
  ...['merge-request-model', 'merge-crowd', 'health', 'closing', 'hook-faults'],
]);
const DEFAULT_TIMEOUT_MS = 60_000;

/**
 * Writes the batches; the former ones go.
 * @param {(suite: string) => Promise<boolean>} [isChosen] by a suite's path; all when absent
 */
export async function writeBatches(isChosen = () => Promise.resolve(true)) {
  await removeBatches();
  const suites = [];
  for (const suite of await allSuites()) if (await isChosen(suite)) suites.push(suite);
  await mkdir(BATCHES, { recursive: true });
  await Promise.all(intoBatches(suites).map((batch, index) => writeBatch(index, batch)));
}

export function removeBatches() {
  return rm(BATCHES, { recursive: true, force: true });
}

async function allSuites() {
  const names = await readdir(SUITES, { recursive: true });
  const suites = names.filter((name) => name.endsWith('.spec.ts')).sort();
  return suites.map((name) => path.join(SUITES, name));
}

/** The long ones alone; of the others, those with similar names and work go to different batches. */
function intoBatches(suites) {
  const isLong = (suite) => LONG.has(path.basename(suite, '.spec.ts'));
  const others = suites.filter((suite) => !isLong(suite));
  const count = Math.ceil(others.length / SUITES_IN_BATCH);
  const batches = Array.from({ length: count }, (_, index) =>
    others.filter((_suite, at) => at % count === index),
  );
  return [...suites.filter(isLong).map((suite) => [suite]), ...batches];
}

async function writeBatch(index, suites) {
  const texts = await Promise.all(suites.map((suite) => readFile(suite, 'utf8')));
  const imports = suites.map((suite) => {
    const name = path.relative(SUITES, suite).replace(/\.ts$/, '.js');
    return `import '../e2e/${name}';\n`;
  });
  // Suites set the limit when they are loaded: what the last one says would count for all.
  const limit = Math.max(DEFAULT_TIMEOUT_MS, ...texts.flatMap(limitsOf));
  const name = `${String(index).padStart(3, '0')}.spec.ts`;
  const text = `${imports.join('')}\njest.setTimeout(${limit});\n`;
  await writeFile(path.join(BATCHES, name), text);
}

function limitsOf(text) {
  const calls = text.matchAll(/jest\.setTimeout\(([\d_]+)\)/g);
  return [...calls].map(([, limit]) => Number(limit.replaceAll('_', '')));
}
