import path from 'node:path';
import { rm } from 'node:fs/promises';
import { branchName, generateLargeHistory, MOST_BRANCHES } from '../large-histories.mjs';
import { git } from '../git.mjs';
import { Probe } from '../probe.mjs';
import { takeTurns, timed } from '../rounds.mjs';
import { createProject } from '../seed.mjs';

const COMMITS = [49_000, 60_000, 600_000];
const QUICK_COMMITS = [60_000];
const BRANCHES = [20, MOST_BRANCHES];
const LONGEST_WAIT_MS = 1_000;
/** Flaws that the service passes over as well. */
const TOLERATED = ['badTimezone', 'missingSpaceBeforeDate', 'zeroPaddedFilemode'];

/**
 * First pushes of large histories, against `git http-backend` that checks all objects, while another project is
 * read ten times a second.
 */
export async function measureLargePushes(world) {
  const { options, folder, progress } = world;
  const outcomes = [];
  const targets = [];
  const add = async (scenario, source, refspecs) => {
    if (!scenario.includes(options.match)) return;
    const { outcome, target } = await measure(world, { scenario, source, refspecs });
    outcomes.push(outcome);
    targets.push(target);
  };
  if (options.directory !== undefined) {
    const source = path.resolve(options.directory);
    await add(`push (${path.basename(source)})`, source, ['refs/heads/*', 'refs/tags/*']);
    return { outcomes, targets };
  }
  for (const commits of options.quick ? QUICK_COMMITS : COMMITS) {
    const source = path.join(folder, `history-${commits}.git`);
    progress.step(`making ${commits} commits`);
    await generateLargeHistory(source, commits);
    for (const branches of BRANCHES) {
      const names = Array.from({ length: branches }, (_, at) => branchName(at + 1));
      const refs = ['main', ...names].map((name) => `refs/heads/${name}`);
      await add(`push (${commits} commits, ${branches} branches)`, source, refs);
    }
    await rm(source, { recursive: true });
  }
  return { outcomes, targets };
}

async function measure(world, { scenario, source, refspecs }) {
  const { service, baseline, folder, database, progress, options, generated } = world;
  const probe = new Probe(service, generated.project);
  const refs = refspecs.map((ref) => `${ref}:${ref}`);
  const push = (address) => git(['-C', source, 'push', '--quiet', address, ...refs]);
  let last;
  const ours = async () => {
    last = await createProject(service, `large-${Date.now()}`);
    return probe.during(() => timed(() => push(service.gitUrl(last))));
  };
  const target = path.join(folder, 'large-backend.git');
  const theirs = async () => {
    await makeChecked(target);
    const address = baseline.gitUrl(path.relative(folder, target), service.credentials);
    return probe.during(() => timed(() => push(address)), { counts: false });
  };
  // What follows a push, housekeeping included, is to keep nobody waiting either.
  const clearUp = async () => {
    await probe.during(() => database.untilJobsAreDone());
    await rm(target, { recursive: true, force: true });
    if (last !== undefined) await service.call('DELETE', `/projects/${last.id}`);
    last = undefined;
    await database.untilJobsAreDone();
  };
  const outcome = await takeTurns({
    scenario,
    unit: 'ms',
    contenders: [
      { name: 'trellis', measure: ours },
      { name: 'git http-backend, checking objects', measure: theirs },
    ],
    rounds: options.effort.largeRounds,
    before: clearUp,
    progress,
  });
  await clearUp();
  const name = `longest read of another project, ${scenario}`;
  return { outcome, target: { name, value: probe.longest, unit: 'ms', atMost: LONGEST_WAIT_MS } };
}

/** An empty repository that checks what it gets. */
async function makeChecked(target) {
  await git(['init', '--quiet', '--bare', '--initial-branch=main', target]);
  const settings = [
    ['transfer.fsckObjects', 'true'],
    ...TOLERATED.map((flaw) => [`receive.fsck.${flaw}`, 'ignore']),
  ];
  for (const setting of settings) await git(['-C', target, 'config', ...setting]);
}
