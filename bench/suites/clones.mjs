import { mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { allProcesses, descendantsOf } from '../../scripts/processes.mjs';
import { fetchPack } from '../fetch-pack.mjs';
import { takeTurns } from '../rounds.mjs';
import { createProject, repositoryOf } from '../seed.mjs';
import { git } from '../git.mjs';
import { Service } from '../service.mjs';

/** Clones at once, each from an address of its own. */
const CLONES = 24;
const SAMPLE_MS = 50;
const MEGABYTE = 1024 * 1024;

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
      const peak = await peakOfGit(() =>
        Promise.all(
          Array.from({ length: CLONES }, (_, index) =>
            fetchPack(address, head, 0, { 'X-Forwarded-For': `10.0.0.${index + 1}` }),
          ),
        ),
      );
      peaks[name] = Math.max(peaks[name] ?? 0, peak);
      return { value: performance.now() - begun, times: CLONES };
    },
  }));
  const { cloneRounds: rounds } = options.effort;
  const outcome = await takeTurns({ scenario, unit: 'ms', contenders, rounds, progress });
  await service.stop();
  const targets = Object.entries(peaks).map(([name, value]) => ({
    ...{ name: `${scenario}, memory of git, ${name}`, value, unit: 'MB' },
  }));
  return { outcomes: [outcome], targets };
}

/** The most memory of their own that the processes of git below this one hold together at any time, in megabytes. */
async function peakOfGit(work) {
  let peak = 0;
  const timer = setInterval(() => {
    const pids = descendantsOf(process.pid, allProcesses()).map(({ pid }) => pid);
    void Promise.all(pids.map(ownMegabytes)).then((all) => {
      peak = Math.max(
        peak,
        all.reduce((sum, each) => sum + each, 0),
      );
    });
  }, SAMPLE_MS);
  try {
    await work();
  } finally {
    clearInterval(timer);
  }
  return peak;
}

/** Memory of a process of git that no file stands for; 0 of other programs. */
async function ownMegabytes(pid) {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  if (!/^Name:\s+git/m.test(status)) return 0;
  return (Number(/^RssAnon:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024) / MEGABYTE;
}
