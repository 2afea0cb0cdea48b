import { takeTurns, timed } from '../rounds.mjs';
import { Instance } from './instance.mjs';

const REQUESTS = 40;
const WARM_UP = 20;

/**
 * The same service with little and with much in it.
 * @typedef {object} Pair
 * @property {Instance} small
 * @property {Instance} large
 * @property {{ small: string, large: string }} labels
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
 * @param {Record<string, string[]>} lists routes, by whom they are asked for
 */
export async function measureFirstPages(world, pair, lists) {
  const outcomes = [];
  for (const [who, routes] of Object.entries(lists)) {
    for (const route of routes.filter((each) => each.includes(world.options.match))) {
      const ask = ({ service, tokens }) => answer(service.apiUrl(route), tokens[who]);
      outcomes.push(await comparePair(world, pair, { scenario: `GET ${route} (${who})`, ask }));
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
 *   empty?: (instance: Instance) => Promise<unknown>,
 * }} what `warmUp` is how often it is asked before; `empty` asks for as good as nothing, which tells
 *   what of the time is the connection's and the asker's
 */
export async function comparePair({ options, progress }, { small, large, labels }, what) {
  const { scenario, ask, warmUp = WARM_UP, empty } = what;
  progress.step(scenario);
  const contenders = [
    { name: labels.large, measure: () => average(() => ask(large)) },
    { name: labels.small, measure: () => average(() => ask(small)) },
    ...(empty ? [{ name: 'an empty answer', measure: () => average(() => empty(large)) }] : []),
  ];
  for (const instance of [large, small]) await repeat(() => ask(instance), warmUp);
  const rounds = options.effort.cloneRounds;
  return takeTurns({ scenario, unit: 'ms', contenders, rounds, progress });
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
