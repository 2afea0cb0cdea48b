import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { inRoot } from '../scripts/paths.mjs';
import { table } from '../scripts/table.mjs';
import { CONNECTIONS } from './load.mjs';

const FOLDER = inRoot('bench', 'results');

const HEAD = [
  ...['scenario', 'trellis', 'against', 'median', 'ratio', 'of the rounds', 'goal', 'CPU time'],
];
const COST_HEAD = [
  ...['request', 'p50', 'p99', 'CPU time', 'statements', 'round trips', 'bytes', 'plain bytes'],
];

const LEGEND = `Ratios are ours / theirs, of each round; of what is per second more is better, of ms and CPU time less. CPU
time is that of one request, command, delivery or row in all processes, and the steadier figure on a machine in
use.`;

const COST_LEGEND = `p50 and p99 are of our answers, in ms, over ${CONNECTIONS} connections; CPU time is that of one request, in ms. Statements
for PostgreSQL, BEGIN and COMMIT included, and round trips, which are how often the api waits for it, are of one request
at a time, counted on the wire in a run before. Bytes are of the body.`;

function figure(value) {
  if (value < 0.1) return value.toFixed(3);
  return value < 10 ? value.toFixed(2) : value.toFixed(value < 100 ? 1 : 0);
}

/** @param {import('./rounds.mjs').Outcome} outcome */
function goalOf({ goal, baselines }) {
  if (goal === undefined) return '';
  const { atLeast = 0, atMost = Infinity } = goal;
  const { median } = baselines[0].ratio;
  const limit = goal.atMost === undefined ? `at least ${atLeast}x` : `at most ${atMost}x`;
  return `${limit}: ${median >= atLeast && median <= atMost ? 'met' : 'MISSED'}`;
}

/** @param {import('./rounds.mjs').Outcome} outcome */
function linesOf(outcome) {
  const { scenario, unit, ours, baselines } = outcome;
  return baselines.map(({ name, median, ratio, cpuRatio }, index) => [
    index === 0 ? scenario : '',
    index === 0 ? `${figure(ours.median)} ${unit}` : '',
    name,
    `${figure(median)} ${unit}`,
    `${figure(ratio.median)}x`,
    `${figure(ratio.least)} - ${figure(ratio.most)}`,
    index === 0 ? goalOf(outcome) : '',
    Number.isFinite(cpuRatio.median) ? `${figure(cpuRatio.median)}x` : '',
  ]);
}

/** @param {import('./rounds.mjs').Outcome} outcome */
function costLine({ scenario, ours, cost }) {
  const { p50, p99 } = ours.latency;
  const counts = [cost.statements, cost.roundTrips, cost.bytes, cost.plainBytes];
  return [scenario, ...[p50, p99, ours.cpuMs].map(figure), ...counts.map(String)];
}

/** @param {{ name: string, megabytes: number, limit?: number }} memory */
function memoryLine({ name, megabytes, limit }) {
  const allowed = limit === undefined ? '' : `at most ${limit} MB`;
  return [name, `${figure(megabytes)} MB`, allowed];
}

/** @param {{ name: string, value?: number, unit?: string, atLeast?: number, atMost?: number }} target */
function targetLine({ name, value, unit, atLeast, atMost }) {
  const allowed = [
    ...(atLeast === undefined ? [] : [`at least ${atLeast} ${unit}`]),
    ...(atMost === undefined ? [] : [`at most ${atMost} ${unit}`]),
  ];
  return [name, value === undefined ? '' : `${figure(value)} ${unit}`, allowed.join(', ').trim()];
}

/** @param {{ name: string, cpuMs: number, walBytes: number, databaseBytes: number, repositoryBytes: number }} thing */
function capacityLine({ name, cpuMs, walBytes, databaseBytes, repositoryBytes }) {
  const bytes = [walBytes, databaseBytes, repositoryBytes].map((count) =>
    String(Math.round(count)),
  );
  return [name, figure(cpuMs), ...bytes];
}

/** Shows the figures of a run. Ratios are ours through the baseline's. */
export function print({ outcomes, memory, targets, capacity }) {
  const parts = [];
  if (outcomes.length > 0) {
    parts.push(table(HEAD, outcomes.flatMap(linesOf)), LEGEND);
  }
  const costs = outcomes.filter(({ cost }) => cost !== undefined).map(costLine);
  if (costs.length > 0) parts.push(table(COST_HEAD, costs, { figuresFrom: 1 }), COST_LEGEND);
  if (memory.length > 0) parts.push(table(['memory', 'measured', 'limit'], memory.map(memoryLine)));
  if (targets.length > 0) {
    parts.push(table(['goal', 'measured', 'limit'], targets.map(targetLine)));
  }
  if (capacity.length > 0) {
    const head = ['one', 'CPU time in ms', 'bytes of WAL', 'of the database', 'of repositories'];
    parts.push(table(head, capacity.map(capacityLine), { figuresFrom: 1 }));
  }
  console.log(`\n${parts.join('\n\n')}\n`);
}

/** Writes the figures of a run as JSON and answers the file's name. */
export async function save(results) {
  await mkdir(FOLDER, { recursive: true });
  const moment = new Date().toISOString().slice(0, 19).replaceAll(':', '-');
  const file = path.join(FOLDER, `${moment}.json`);
  await writeFile(file, `${JSON.stringify(results, null, 2)}\n`);
  return path.relative(process.cwd(), file);
}
