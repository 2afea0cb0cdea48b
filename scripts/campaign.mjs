// Runs campaigns: what looks for rare faults, at random and at length. All of them without a name.
//
//   npm run campaign -- [NAME ...] [--list] [--seed NUMBER] [--short]
//
// --seed repeats the choices of a run; otherwise each run makes its own. --short is for every change, the long
// form for a release and for the night. One report for each run, and their table, go into a folder below reports.
import { createWriteStream } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import { parseArgs } from 'node:util';
import { runInBatches } from './batches.mjs';
import { findCampaigns } from './campaigns.mjs';
import { runNode } from './child.mjs';
import { runJest, withTestRedis } from './jest.mjs';
import { inRoot } from './paths.mjs';
import { prepare } from './prepare.mjs';
import { main, Problem, say } from './problem.mjs';
import { hasRedisServer, withRedis } from './redis.mjs';
import { withInstalledPrograms } from './suites.mjs';
import { table } from './table.mjs';
import { withTemporaryFolder } from './temporary-folder.mjs';

const LARGEST_SEED = 999_999;
/** Runs side by side: most of what they do is to wait, the more the shorter they are. */
const AT_ONCE = { long: 2, short: 4 };

/** @throws Problem for a name that no campaign has */
function choose(campaigns, names) {
  const unknown = names.filter((name) => !campaigns.some((campaign) => campaign.name === name));
  if (unknown.length > 0) {
    throw new Problem(
      `No campaign is called ${unknown.join(', ')}. There are:\n${list(campaigns)}`,
    );
  }
  return campaigns.filter(({ name }) => names.length === 0 || names.includes(name));
}

const list = (campaigns) =>
  campaigns.map(({ name, about }) => `${name.padEnd(16)}${about}`).join('\n');

function toSeed(text = String(Date.now() % (LARGEST_SEED + 1))) {
  const seed = Number(text);
  if (!/^\d+$/.test(text) || seed > LARGEST_SEED) {
    throw new Problem(`--seed takes a number from 0 to ${LARGEST_SEED}`);
  }
  return seed;
}

/** The runs of a campaign's scripts, each with its length in words, and a function that carries it out or what it lacks. */
function scriptRunsOf({ name, scripts }, { seed, short }) {
  return Promise.all(
    scripts.map(async ({ file, variant, onRedis, findLack, onDisk, alone = [], ...lengths }) => {
      const form = short ? 'short' : 'long';
      const args = lengths[form];
      const title = [name, variant, onRedis && 'on Redis'].filter(Boolean).join(' ');
      if (args === undefined) return { title, length: '', lack: `it has no ${form} form` };
      const isWithoutRedis = onRedis !== undefined && !(await hasRedisServer());
      const lack = isWithoutRedis ? 'no Redis' : await findLack?.();
      if (lack !== undefined) return { title, length: '', lack };
      const runOn = (ofRedis, options) =>
        runScript([file, ...args, ...ofRedis, '--seed', String(seed)], { ...options, onDisk });
      return {
        title,
        length: args.join(' '),
        isAlone: alone.includes(form),
        run: (options) =>
          onRedis === undefined
            ? runOn([], options)
            : withRedis((url) => runOn(onRedis(url), options)),
      };
    }),
  );
}

/** The runs of suites: in the long form one for each campaign; in the short one together, which share what they load. */
async function suiteRunsOf(campaigns, { seed, short }) {
  const own = campaigns.filter(({ suites }) => suites.length > 0);
  const installed = await withInstalledPrograms(own.flatMap(({ suites }) => suites));
  const env = { TEST_SEED: String(seed), ...(short ? {} : { TEST_LENGTH: 'campaign' }) };
  if (short) {
    const run = (options) =>
      withTestRedis((redisUrl) => runInBatches(installed, redisUrl, { ...options, env }));
    return installed.length === 0 ? [] : [suiteRun('suites', installed, run)];
  }
  return own.map(({ name, scripts, suites }) => {
    const title = scripts.length === 0 ? name : `${name} suites`;
    const runnable = suites.filter((suite) => installed.includes(suite));
    if (runnable.length === 0) return { title, length: '', lack: lackOf(suites) };
    const run = (options) =>
      withTestRedis((redisUrl) => runSuites(runnable, { ...options, redisUrl, env }));
    return suiteRun(title, runnable, run);
  });
}

const lackOf = (suites) =>
  `it needs ${[...new Set(suites.flatMap(({ needs }) => needs))].join(', ')}`;

function suiteRun(title, { length }, run) {
  return {
    title,
    length: `${length} ${length === 1 ? 'suite' : 'suites'}`,
    run: async (options) => {
      const { failed, left } = await run(options);
      return failed === 0 && left.length === 0;
    },
  };
}

async function runScript([file, ...args], { onDisk, ...options }) {
  const runIn = ({ temporary }) =>
    runNode([inRoot(file), ...args], { ...options, env: { ...process.env, TMPDIR: temporary } });
  const { result, left } = await withTemporaryFolder(runIn, { onDisk });
  for (const what of left) say(`left behind: ${what}`);
  return result.code === 0 && left.length === 0;
}

function runSuites(suites, options) {
  const args = ['--runTestsByPath', ...suites.map((suite) => inRoot(suite.path))];
  return runJest(args, { ...options, files: suites.length });
}

/** @returns the run's row of the table, and whether it failed */
async function carryOut({ title, length, run, lack }, seed, folder) {
  if (lack !== undefined) {
    say(`${title} is NOT RUN: ${lack}`);
    return { row: [title, '', length, '', `not run: ${lack}`], hasFailed: false };
  }
  say(`${title} with --seed ${seed}`);
  const begin = Date.now();
  const report = createWriteStream(path.join(folder, `${title.replaceAll(' ', '-')}.txt`));
  const output = new PassThrough();
  output.pipe(report);
  const shown = showLines(output, title);
  const hasPassed = await run({ stdio: 'pipe', onOutput: (part) => output.write(part) }).catch(
    (error) => {
      // The others are carried out all the same, and the table has all.
      output.write(`${error.stack}\n`);
      return false;
    },
  );
  output.end();
  await shown;
  const seconds = ((Date.now() - begin) / 1000).toFixed(0);
  const result = hasPassed ? 'passed' : 'FAILED';
  return { row: [title, String(seed), length, `${seconds} s`, result], hasFailed: !hasPassed };
}

/** Shows the lines of a run with its title, since others are shown in between. */
async function showLines(input, title) {
  for await (const line of createInterface({ input })) console.log(`${title}: ${line}`);
}

/** Carries out runs, a few at once, and those that need the machine for themselves after the others; answers in their order. */
async function carryOutAll(runs, { seed, short }, folder) {
  const results = new Map();
  const drain = async (remaining) => {
    while (remaining.length > 0) {
      const run = remaining.shift();
      results.set(run, await carryOut(run, seed, folder));
    }
  };
  const together = runs.filter(({ isAlone }) => !isAlone);
  const length = short ? AT_ONCE.short : AT_ONCE.long;
  await Promise.all(Array.from({ length }, () => drain(together)));
  await drain(runs.filter(({ isAlone }) => isAlone));
  return runs.map((run) => results.get(run));
}

async function runAll(campaigns, options) {
  const moment = new Date().toISOString().slice(0, 19).replaceAll(':', '-');
  const folder = inRoot('reports', moment);
  await mkdir(folder, { recursive: true });
  const ofScripts = await Promise.all(campaigns.map((one) => scriptRunsOf(one, options)));
  const runs = [...(await suiteRunsOf(campaigns, options)), ...ofScripts.flat()];
  const done = await carryOutAll(runs, options, folder);
  const rows = done.map(({ row }) => row);
  const summary = table(['campaign', 'seed', 'length', 'time', 'result'], rows);
  await writeFile(path.join(folder, 'summary.txt'), `${summary}\n`);
  console.log(`\n${summary}\n`);
  say(`reports are in ${path.relative(inRoot(), folder)}`);
  process.exitCode = done.some(({ hasFailed }) => hasFailed) ? 1 : 0;
}

await main(async () => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      list: { type: 'boolean', default: false },
      seed: { type: 'string' },
      short: { type: 'boolean', default: false },
    },
  });
  await prepare({ dev: true });
  const campaigns = choose(await findCampaigns(), positionals);
  if (values.list) console.log(list(campaigns));
  else await runAll(campaigns, { seed: toSeed(values.seed), short: values.short });
});
