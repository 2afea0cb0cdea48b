import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { inRoot } from './paths.mjs';
import { Problem } from './problem.mjs';

const TIERS = ['unit', 'contract', 'e2e'];
const TAGS = ['alone', 'redis', 'campaign'];

/**
 * @typedef {object} Suite
 * @property {string} path relative to the folder of package.json
 * @property {'unit' | 'contract' | 'e2e'} tier
 * @property {boolean} runsOnRedis whether it runs a second time with the queues on Redis: `@redis`
 * @property {boolean} isAlone whether it shares its modules with no other suite, not even in a batch: `@alone`
 * @property {string} [campaign] the campaign of its long form: `@campaign NAME`
 */

/**
 * Returns all suites in the order of their paths, with the tags of the docblock at the beginning of their files.
 * @returns {Promise<Suite[]>}
 */
export async function findSuites() {
  const found = await Promise.all(TIERS.map(findOfTier));
  return found.flat();
}

async function findOfTier(tier) {
  const names = await readdir(inRoot('test', tier), { recursive: true });
  const suites = names.filter((name) => name.endsWith('.spec.ts')).sort();
  return Promise.all(suites.map((name) => readSuite(tier, path.posix.join('test', tier, name))));
}

async function readSuite(tier, file) {
  // A clone in which nothing is installed yet loads this file, too.
  const { extract, parse } = await import('jest-docblock');
  const tags = parse(extract(await readFile(inRoot(file), 'utf8')));
  const unknown = Object.keys(tags).filter((tag) => !TAGS.includes(tag));
  if (unknown.length > 0) throw new Problem(`${file} has unknown tags: ${unknown.join(', ')}`);
  const [isAlone, runsOnRedis] = ['alone' in tags, 'redis' in tags];
  return { path: file, tier, isAlone, runsOnRedis, campaign: tags.campaign };
}
