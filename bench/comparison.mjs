import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { inRoot } from '../scripts/paths.mjs';
import { Problem } from '../scripts/problem.mjs';
import { table } from '../scripts/table.mjs';

const HEAD = ['scenario', 'against', 'earlier', 'now', 'change', 'CPU time', 'now', 'change'];
const FIRST_FIGURE = 2;

/**
 * The results of an earlier run.
 * @param {string} name a path, or a name in bench/results with or without its ending
 * @throws Problem when there is no such file
 */
export async function readEarlier(name) {
  const base = inRoot('bench', 'results', name);
  for (const file of [path.resolve(name), base, `${base}.json`]) {
    const text = await readFile(file, 'utf8').catch(() => undefined);
    if (text !== undefined) return JSON.parse(text);
  }
  throw new Problem(`No results ${name}, neither here nor in bench/results`);
}

/** Shows ratios of two runs side by side: what the machine did then and now is in both of their terms. */
export function compare(earlier, { outcomes }) {
  const lines = outcomes.flatMap(({ scenario, baselines }) => {
    const before = earlier.outcomes.find((outcome) => outcome.scenario === scenario);
    return baselines.map((now) => {
      const then = before?.baselines.find(({ name }) => name === now.name);
      const ratios = changeOf(then?.ratio.median, now.ratio.median);
      return [
        scenario,
        now.name,
        ...ratios,
        ...changeOf(then?.cpuRatio.median, now.cpuRatio.median),
      ];
    });
  });
  const title = `Ratios of the run of ${earlier.date} and of this one:`;
  console.log(`${title}\n\n${table(HEAD, lines, { figuresFrom: FIRST_FIGURE })}\n`);
}

function changeOf(then, now) {
  const figure = (value) => (Number.isFinite(value) ? `${value.toPrecision(3)}x` : '');
  const percent = (now / then - 1) * 100;
  const change = Number.isFinite(percent) ? `${percent < 0 ? '' : '+'}${percent.toFixed(0)} %` : '';
  return [figure(then), figure(now), change];
}
