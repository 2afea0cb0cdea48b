import { takeTurns, timed } from '../rounds.mjs';
import { Instance } from './instance.mjs';

const REQUESTS = 40;
const WARM_UP = 20;

/** How many times as long something may take with much as with little. */
const FIRST_PAGE_GOAL = { atMost: 1.5 };
const SINGLE_READ_GOAL = { atMost: 1.2 };

/** How many objects `:id` goes through, so that no one answer is remembered on the way. */
const READ = 100;

/**
 * The same service with little and with much in it.
 * @typedef {object} Pair
 * @property {Instance} small
 * @property {Instance} large
 * @property {{ small: string, large: string }} labels
 */

/**
 * Routes by whom they are asked for; `:id` is another number each time.
 * @typedef {Record<string, string[]>} Routes
 */

/**
 * @param {import('../bench.mjs').World} world
 * @param {Record<'small' | 'large', import('./seed.mjs').Stock>} stocks
 * @param {string} name for the databases
 * @returns {Promise<Pair>}
 */
export async function startPair({ folder, progress, database }, stocks, name) {
  const start = (size) => {
    progress.step(`${name}: ${stocks[size].label}`);
    return Instance.start({ folder, database, name: `${name}_${size}`, stock: stocks[size] });
  };
  const [small, large] = [await start('small'), await start('large')];
  return { small, large, labels: { small: stocks.small.label, large: stocks.large.label } };
}

/**
 * How much longer first pages take with much than with little, one request at a time.
 * @param {import('../bench.mjs').World} world
 * @param {Pair} pair
 * @param {Routes} routes
 */
export const measureFirstPages = (world, pair, routes) =>
  measureRoutes(world, pair, { routes, goal: FIRST_PAGE_GOAL });

/**
 * How much longer reads of one object take with much than with little, one request at a time.
 * @param {import('../bench.mjs').World} world
 * @param {Pair} pair
 * @param {Routes} routes
 */
export const measureSingleReads = (world, pair, routes) =>
  measureRoutes(world, pair, { routes, goal: SINGLE_READ_GOAL });

async function measureRoutes(world, pair, { routes, goal }) {
  const outcomes = [];
  for (const [who, each] of Object.entries(routes)) {
    for (const route of each.filter((text) => text.includes(world.options.match))) {
      let count = 0;
      const next = () => route.replace(':id', String(1 + (count++ % READ)));
      const ask = ({ service, tokens }) => answer(service.apiUrl(next()), tokens[who]);
      outcomes.push(
        await comparePair(world, pair, { scenario: `GET ${route} (${who})`, ask, goal }),
      );
    }
  }
  return outcomes;
}

/**
 * How much longer something takes with much than with little.
 * @param {import('../bench.mjs').World} world
 * @param {Pair} pair
 * @param {{
 *   scenario: string,
 *   ask: (instance: Instance) => Promise<unknown>,
 *   warmUp?: number,
 *   goal?: { atMost: number },
 *   empty?: (instance: Instance) => Promise<unknown>,
 * }} what `warmUp` is how often it is asked before; `empty` asks for as good as nothing, which tells
 *   what of the time is the connection's and the asker's
 */
export async function comparePair({ options, progress }, { small, large, labels }, what) {
  const { scenario, ask, warmUp = WARM_UP, empty, goal } = what;
  progress.step(scenario);
  const contenders = [
    { name: labels.large, measure: () => average(() => ask(large)) },
    { name: labels.small, measure: () => average(() => ask(small)) },
    ...(empty ? [{ name: 'an empty answer', measure: () => average(() => empty(large)) }] : []),
  ];
  for (const instance of [large, small]) await repeat(() => ask(instance), warmUp);
  const rounds = options.effort.cloneRounds;
  const outcome = await takeTurns({ scenario, unit: 'ms', contenders, rounds, progress });
  return { ...outcome, goal };
}

async function average(ask) {
  const { value } = await timed(() => repeat(ask, REQUESTS));
  return { value: value / REQUESTS, times: REQUESTS };
}

async function repeat(ask, times) {
  for (let count = 0; count < times; count += 1) await ask();
}

/** @throws Error for any answer but a success */
export async function answer(url, token, { method = 'GET', body } = {}) {
  const response = await fetch(url, {
    method,
    headers: { 'PRIVATE-TOKEN': token, ...(body ? { 'Content-Type': 'application/json' } : {}) },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${url}: ${response.status} ${text}`);
}
