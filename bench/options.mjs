import { parseArgs } from 'node:util';
import { Problem } from '../scripts/problem.mjs';

export const SUITE_NAMES = [
  ...['requests', 'reads', 'transport', 'memory', 'deliveries'],
  ...['growth', 'issues', 'merge-requests', 'large-pushes', 'capacity', 'clones'],
];
/** What runs when no suite is named: the others fill two databases first. */
const USUAL = ['requests', 'reads', 'transport', 'memory', 'deliveries'];

const USAGE = `npm run bench -- [--quick] [--large [DIRECTORY]] [--only SUITES] [--match TEXT] [--profile]
                  [--compare FILE]

  --quick       fewer and shorter rounds: two minutes
  --large       also the memory of the api process while a repository of 500 MB is pushed and cloned, and first
                pushes of histories of up to 600,000 commits; with a DIRECTORY only the first push of that bare
                repository
  --only        suites to run, separated by commas: ${SUITE_NAMES.join(', ')}
  --match       only scenarios with this text in their name
  --profile     write CPU profiles of the service's processes to bench/results
  --compare     also print the ratios of an earlier run beside this run's; FILE is what it wrote, by its path
                or by its name in bench/results`;

/**
 * @typedef {object} Effort how much is measured
 * @property {number} readRounds
 * @property {number} readSeconds length of one round
 * @property {number} warmUpSeconds
 * @property {number} cloneRounds
 * @property {number} pushRounds
 * @property {number} historyRounds rounds of pushing the whole history
 * @property {number} largeRounds rounds of pushing a large one
 * @property {number} firstDeliveries for the warm-up
 * @property {number} deliveryRounds
 * @property {number} deliveries of one round
 * @property {number} relayRounds
 * @property {number} relayRows of one round
 * @property {number} singleDeliveries
 * @property {number} capacityTimes how often each thing is done before it is measured, and while
 */

/** @type {Effort} */
const FULL = {
  readRounds: 5,
  readSeconds: 1,
  warmUpSeconds: 3,
  cloneRounds: 9,
  pushRounds: 9,
  historyRounds: 5,
  largeRounds: 3,
  firstDeliveries: 1_000,
  deliveryRounds: 3,
  deliveries: 1_500,
  relayRounds: 3,
  relayRows: 5_000,
  singleDeliveries: 20,
  capacityTimes: 300,
};
/** @type {Effort} */
const QUICK = {
  readRounds: 2,
  readSeconds: 0.25,
  warmUpSeconds: 0.15,
  cloneRounds: 3,
  pushRounds: 3,
  historyRounds: 1,
  largeRounds: 1,
  firstDeliveries: 300,
  deliveryRounds: 1,
  deliveries: 500,
  relayRounds: 1,
  relayRows: 2_500,
  singleDeliveries: 10,
  capacityTimes: 50,
};

function parsed(args) {
  const flag = { type: /** @type {const} */ ('boolean'), default: false };
  const text = { type: /** @type {const} */ ('string') };
  try {
    return parseArgs({
      args,
      allowPositionals: true,
      options: {
        quick: flag,
        large: flag,
        profile: flag,
        help: flag,
        only: text,
        match: text,
        compare: text,
      },
    });
  } catch (error) {
    throw new Problem(`${error.message}\n\n${USAGE}`);
  }
}

function suitesOf(large, directory) {
  if (directory !== undefined) return ['large-pushes'];
  return large ? [...USUAL, 'large-pushes'] : USUAL;
}

/**
 * @param {string[]} args
 * @throws Problem with the usage for what is not understood, and when that is asked for
 */
export function readOptions(args) {
  const { values, positionals } = parsed(args);
  const { quick, large, profile, help, only, compare, match = '' } = values;
  const [directory, ...others] = positionals;
  const isUnclear = others.length > 0 || (directory !== undefined && !large);
  if (isUnclear) throw new Problem(`No argument ${positionals.join(' ')}\n\n${USAGE}`);
  const suites = only?.split(',') ?? suitesOf(large, directory);
  const unknown = suites.filter((name) => !SUITE_NAMES.includes(name));
  if (help) throw new Problem(USAGE);
  if (unknown.length > 0) throw new Problem(`No suite ${unknown.join(', ')}\n\n${USAGE}`);
  return { quick, large, directory, profile, compare, match, suites, effort: quick ? QUICK : FULL };
}

/** @typedef {ReturnType<typeof readOptions>} Options */
