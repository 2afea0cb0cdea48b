import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { inRoot } from '../scripts/paths.mjs';
import { table } from '../scripts/table.mjs';

const FOLDER = inRoot('bench', 'results');

const LEGEND = `Ratios are ours / theirs, of each round; of what is per second more is better, of ms and CPU time less. CPU
time is that of one request, command, delivery or row in all processes, and the steadier figure on a machine in
use.`;

const figure = (value) => (value < 10 ? value.toFixed(2) : value.toFixed(value < 100 ? 1 : 0));

/** @param {import('./rounds.mjs').Outcome} outcome */
function linesOf({ scenario, unit, ours, baselines }) {
  return baselines.map(({ name, median, ratio, cpuRatio }, index) => [
    index === 0 ? scenario : '',
    index === 0 ? `${figure(ours.median)} ${unit}` : '',
    name,
    `${figure(median)} ${unit}`,
    `${figure(ratio.median)}x`,
    `${figure(ratio.least)} - ${figure(ratio.most)}`,
    Number.isFinite(cpuRatio.median) ? `${figure(cpuRatio.median)}x` : '',
  ]);
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

/** Shows the figures of a run. Ratios are ours through the baseline's. */
export function print({ outcomes, memory, targets }) {
  const parts = [];
  if (outcomes.length > 0) {
    const head = ['scenario', 'trellis', 'against', 'median', 'ratio', 'of the rounds', 'CPU time'];
    parts.push(table(head, outcomes.flatMap(linesOf)));
    parts.push(LEGEND);
  }
  if (memory.length > 0) parts.push(table(['memory', 'measured', 'limit'], memory.map(memoryLine)));
  if (targets.length > 0) {
    parts.push(table(['goal', 'measured', 'limit'], targets.map(targetLine)));
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
