import { access, constants, readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { inRoot } from './paths.mjs';
import { Problem, say } from './problem.mjs';

const TIERS = ['unit', 'contract', 'e2e'];
const TAGS = ['alone', 'redis', 'campaign', 'operation', 'needs'];
/** A tag anywhere in a file. */
const TAG = /^\s*(?:\/\*+|\*|\/\/)\s*@(alone|redis|campaign|operation|needs)\b/gm;
const TWO_LENGTHS = /^import \{[^}]*\blengthOf\b[^}]*\} from '[^']*\/support\/lengths\.js'/m;
/** Of campaigns alone. */
const CAMPAIGNS = 'test/e2e/campaigns/';
const CAMPAIGN_NAME = /^[a-z]+(-[a-z]+)*$/;

/**
 * @typedef {object} Suite
 * @property {string} path relative to the folder of package.json
 * @property {'unit' | 'contract' | 'e2e'} tier
 * @property {boolean} runsOnRedis whether it runs a second time with the queues on Redis: `@redis`
 * @property {boolean} isAlone whether it shares its modules with no other suite, not even in a batch: `@alone`
 * @property {boolean} isOperation whether it tests how the service is operated: `@operation`
 * @property {string[]} needs programs that have to be on the PATH: `@needs NAME ...`
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

/**
 * Returns the suites whose programs are installed, and says which are left out for want of one.
 * @param {Suite[]} suites
 */
export async function withInstalledPrograms(suites) {
  const programs = [...new Set(suites.flatMap(({ needs }) => needs))];
  const found = await Promise.all(programs.map(isInstalled));
  const missing = programs.filter((_, index) => !found[index]);
  for (const program of missing) {
    const out = suites.filter(({ needs }) => needs.includes(program)).map((suite) => suite.path);
    say(`there is no ${program} on the PATH, so that these are not run: ${out.join(', ')}`);
  }
  return suites.filter(({ needs }) => !needs.some((program) => missing.includes(program)));
}

const isInstalled = async (program) => {
  const folders = (process.env.PATH ?? '').split(path.delimiter);
  const checks = folders.map((folder) =>
    access(path.join(folder, program), constants.X_OK).then(
      () => true,
      () => false,
    ),
  );
  return (await Promise.all(checks)).includes(true);
};

async function findOfTier(tier) {
  const names = await readdir(inRoot('test', tier), { recursive: true });
  const suites = names.filter((name) => name.endsWith('.spec.ts')).sort();
  return Promise.all(suites.map((name) => readSuite(tier, path.posix.join('test', tier, name))));
}

async function readSuite(tier, file) {
  const text = await readFile(inRoot(file), 'utf8');
  const tags = await readTags(file, text);
  const [isAlone, runsOnRedis] = ['alone' in tags, 'redis' in tags];
  const needs = tags.needs?.split(/\s+/) ?? [];
  const isOperation = 'operation' in tags;
  return { path: file, tier, isAlone, runsOnRedis, isOperation, needs, campaign: tags.campaign };
}

/**
 * Reads the tags of a suite.
 * @returns {Promise<Record<string, string>>}
 * @throws Problem where one would have no effect
 */
export async function readTags(file, text) {
  // A clone in which nothing is installed yet loads this file, too.
  const { extract, parse } = await import('jest-docblock');
  const docblock = extract(text);
  const tags = parse(docblock);
  const unknown = Object.keys(tags).filter((tag) => !TAGS.includes(tag));
  if (unknown.length > 0) throw new Problem(`${file} has unknown tags: ${unknown.join(', ')}`);
  const misplaced = [...text.slice(text.indexOf(docblock) + docblock.length).matchAll(TAG)];
  if (misplaced.length > 0) {
    const names = misplaced.map(([, tag]) => tag).join(', ');
    throw new Problem(`${file} has tags that are not in a docblock at its beginning: ${names}`);
  }
  const { campaign } = tags;
  if (campaign !== undefined && !CAMPAIGN_NAME.test(campaign)) {
    throw new Problem(`${file} has to name one campaign after @campaign, in small letters`);
  }
  if (campaign === undefined && TWO_LENGTHS.test(text)) {
    throw new Problem(`${file} has a long form, which no campaign runs: it needs @campaign`);
  }
  if (campaign === undefined && file.startsWith(CAMPAIGNS)) {
    throw new Problem(`${file} has to name its campaign: it needs @campaign`);
  }
  if (campaign !== undefined && 'operation' in tags) {
    throw new Problem(`${file} is run with the campaigns already: @operation would have no effect`);
  }
  return tags;
}
