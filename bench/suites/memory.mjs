import { rm } from 'node:fs/promises';
import path from 'node:path';
import { fetchPack } from '../fetch-pack.mjs';
import { git } from '../git.mjs';
import { generateLargeRepository } from '../large-repository.mjs';
import { peakDuring, residentMegabytes } from '../resident-memory.mjs';
import { stock } from '../seed.mjs';

const CLONES = 20;
const CLONES_LIMIT_MB = 250;
const GROWTH_LIMIT_MB = 50;
const STALL_MS = 3_000;
const LEAST_LARGE_BYTES = 500_000_000;

/** The memory of the api process: at rest, while many clones run, and with `--large` one large one. */
export async function measureMemory(world) {
  const { service, options } = world;
  const pid = service.api.pid;
  const atRest = await residentMegabytes(pid);
  if (atRest === undefined) return { memory: [] };
  const memory = [{ name: 'api process before', megabytes: atRest }, await manyClones(world, pid)];
  if (options.large) memory.push(...(await largeTransfers(world, pid)));
  return { memory };
}

async function manyClones({ service, history, folder, progress }, pid) {
  progress.step(`memory: ${CLONES} clones at once`);
  const address = service.gitUrl(history.project, { anonymous: true });
  const targets = Array.from({ length: CLONES }, (_, at) => path.join(folder, `clone-${at}.git`));
  const megabytes = await peakDuring(
    () => residentMegabytes(pid),
    () =>
      Promise.all(targets.map((target) => git(['clone', '--quiet', '--bare', address, target]))),
  );
  await Promise.all(targets.map((target) => rm(target, { recursive: true })));
  return { name: `peak of ${CLONES} clones at once`, megabytes, limit: CLONES_LIMIT_MB };
}

async function largeTransfers({ service, database, folder, progress }, pid) {
  progress.step('memory: generating 500 MB');
  const source = path.join(folder, 'large.git');
  await generateLargeRepository(source);
  let large;
  const pushed = await growthDuring(pid, async () => {
    progress.step('memory: pushing 500 MB');
    large = await stock(service, source, 'large');
  });
  await rm(source, { recursive: true });
  await database.untilJobsAreDone();
  const cloned = await growthDuring(pid, async () => {
    progress.step('memory: cloning 500 MB');
    const address = service.gitUrl(large.project, { anonymous: true });
    const bytes = await fetchPack(address, large.head, STALL_MS);
    if (bytes < LEAST_LARGE_BYTES) throw new Error(`The clone ended after ${bytes} bytes`);
  });
  await service.call('DELETE', `/projects/${large.project.id}`);
  return [
    { name: 'growth by a push of 500 MB', megabytes: pushed, limit: GROWTH_LIMIT_MB },
    { name: 'growth by a clone of 500 MB', megabytes: cloned, limit: GROWTH_LIMIT_MB },
  ];
}

async function growthDuring(pid, work) {
  const before = await residentMegabytes(pid);
  return (await peakDuring(() => residentMegabytes(pid), work)) - before;
}
