// Runs tests as `npm test` does and prints where their time goes. Arguments are those of `npm test`. What suites took in
// batches is recorded for the batches of later runs.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { writeDurations } from './batches.mjs';
import { runNode } from './child.mjs';
import { guard } from './guard.mjs';
import { inRoot } from './paths.mjs';
import { prepare } from './prepare.mjs';
import { main, Problem, say } from './problem.mjs';
import { machineCpuMs, processTimes } from './processes.mjs';
import { readNotes } from './profile/notes.mjs';
import { reportOf } from './profile/report.mjs';
import { Sampler } from './profile/sampler.mjs';
import { findFailed, findUnmeasured, summarizeSuites } from './profile/summary.mjs';
import { scopeOf } from './selection.mjs';

const RESULTS = inRoot('profile');

/** Runs the tests; resolves with their exit code and what they took. */
async function measure(folder, args) {
  const sampler = new Sampler(folder);
  const env = { ...process.env, TEST_PROFILE: folder };
  const before = times();
  sampler.start();
  const script = [inRoot('scripts', 'test.mjs'), ...args];
  const { code } = await runNode(script, { env, stdio: 'inherit' });
  sampler.stop();
  const after = times();
  const took = (figure) => after[figure] - before[figure];
  const cpuMs = took('reapedMs');
  const othersMs = took('machineMs') - cpuMs - took('ownMs');
  return { code, sampler, wallMs: took('wallMs'), cpuMs, othersMs };
}

function times() {
  const { ownMs, reapedMs } = processTimes('self');
  return { wallMs: performance.now(), machineMs: machineCpuMs(), ownMs, reapedMs };
}

async function profile(folder, args) {
  const { code, sampler, wallMs, cpuMs, othersMs } = await measure(folder, args);
  const files = readNotes(folder, 'files');
  const records = readNotes(folder, 'suites');
  const { server, intervals } = sampler;
  const suites = summarizeSuites(records, intervals, server.databases);
  const unmeasured = findUnmeasured(files, records);
  if (suites.length === 0) throw new Problem('No suite was run, so there is nothing to report.');
  const failed = findFailed(files, records);
  const report = reportOf({ suites, wallMs, cpuMs, othersMs, server, unmeasured, failed });
  console.log(`\n${report}\n`);
  await save(report, suites);
  if (scopeOf(args) !== undefined) await writeDurations(suites.filter(isOrdinary));
  process.exitCode = unmeasured.length > 0 ? 1 : code;
}

/** What a batch shares belongs to no suite, and the second run of a suite, on Redis, takes about as long. */
const isOrdinary = ({ isShared, onRedis }) => !isShared && !onRedis;

async function save(report, suites) {
  await mkdir(RESULTS, { recursive: true });
  const moment = new Date().toISOString().slice(0, 19).replaceAll(':', '-');
  const file = path.join(RESULTS, moment);
  await writeFile(`${file}.txt`, `${report}\n`);
  await writeFile(`${file}.jsonl`, suites.map((suite) => `${JSON.stringify(suite)}\n`).join(''));
  say(
    `written to ${path.relative(inRoot(), file)}.txt, and with every test to the .jsonl beside it`,
  );
}

await main(async () => {
  if (processTimes('self') === undefined) throw new Problem('Profiling needs /proc, as on Linux.');
  await prepare({ dev: true });
  const folder = await mkdtemp(path.join(tmpdir(), 'trellis-profile-'));
  const { release } = guard(folder);
  try {
    await profile(folder, process.argv.slice(2));
  } finally {
    await rm(folder, { recursive: true, force: true });
    release();
  }
});
