import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { allProcesses, descendantsOf } from '../../scripts/processes.mjs';
import { fetchPack } from '../fetch-pack.mjs';
import { megabytesOf, peakDuring, statusOf } from '../resident-memory.mjs';
import { takeTurns } from '../rounds.mjs';
import { createProject, repositoryOf } from '../seed.mjs';
import { git } from '../git.mjs';
import { Service } from '../service.mjs';

/** Clones at once, each from an address of its own. */
const CLONES = 24;
const SAMPLE_MS = 50;

/**
 * A crowd that clones one repository at once, against `git http-backend` on the same folder: the time of all, and the most
 * memory that git holds for itself meanwhile. With `--large DIRECTORY` of that repository instead of this project's own.
 */
export async function measureClones(world) {
  const { folder, options, progress, history, baseline } = world;
  const scenario = `${CLONES} clones at once`;
  progress.step(scenario, 'starting');
  const place = path.join(folder, 'clones');
  await mkdir(place);
  const service = await Service.start({
    folder: place,
    databaseUrl: (await world.database.another('clones')).url,
    withWorker: false,
    environment: { TRUSTED_PROXIES: '127.0.0.1' },
  });
  const source = options.directory ?? history.source;
  const project = await createProject(service, 'crowd');
  await git(['-C', source, 'push', '--quiet', service.gitUrl(project), 'HEAD:refs/heads/main']);
  const head = (await git(['-C', source, 'rev-parse', 'HEAD'])).trim();
  const repository = await repositoryOf(service, project);
  const addresses = {
    trellis: service.gitUrl(project, { anonymous: true }),
    'git http-backend': baseline.gitUrl(path.relative(folder, repository)),
  };
  const peaks = {};
  const contenders = Object.entries(addresses).map(([name, address]) => ({
    name,
    measure: async () => {
      const begun = performance.now();
      const clones = () =>
        Promise.all(
          Array.from({ length: CLONES }, (_, index) =>
            fetchPack(address, head, 0, { 'X-Forwarded-For': `10.0.0.${index + 1}` }),
          ),
        );
      const peak = await peakDuring(megabytesOfGit, clones, SAMPLE_MS);
      peaks[name] = Math.max(peaks[name] ?? 0, peak);
      return { value: performance.now() - begun, times: CLONES };
    },
  }));
  const { cloneRounds: rounds } = options.effort;
  const outcome = await takeTurns({ scenario, unit: 'ms', contenders, rounds, progress });
  await service.stop();
  const targets = Object.entries(peaks).map(([name, value]) => ({
    name: `${scenario}, memory of git, ${name}`,
    value,
    unit: 'MB',
  }));
  return { outcomes: [outcome], targets };
}

/** Megabytes that the processes of git below this one hold for themselves together. */
async function megabytesOfGit() {
  const pids = descendantsOf(process.pid, allProcesses()).map(({ pid }) => pid);
  const all = await Promise.all(pids.map(ownMegabytes));
  return all.reduce((sum, each) => sum + each, 0);
}

/** Memory of a process of git that no file stands for; 0 of other programs. */
async function ownMegabytes(pid) {
  const status = await statusOf(pid);
  return /^Name:\s+git/m.test(status) ? (megabytesOf(status, 'RssAnon') ?? 0) : 0;
}
