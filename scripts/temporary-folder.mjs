// The temporary files of a run, and what is still there when it has ended.
import { chmod, mkdir, mkdtemp, readdir, rm, statfs } from 'node:fs/promises';
import { freemem, tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { end, guard } from './guard.mjs';
import { findProcessesNaming, titleOf } from './processes.mjs';

const PATIENCE_MS = 5_000;
const POLL_MS = 100;
/** Where Linux keeps files in memory, and the number by which `statfs` knows such a file system. */
const IN_MEMORY = { folder: '/dev/shm', type: 0x01021994 };
/** What has to be free for files in memory: a run of everything uses a sixth of it. */
const BYTES_IN_MEMORY = 6 * 1024 ** 3;

/**
 * Does some work that starts processes, with a folder for their temporary files and one for notes. Processes
 * that still run afterwards are ended, files that are still there are kept for inspection.
 * @template T
 * @param {(run: { temporary: string, notes: string }) => Promise<T>} work gives `temporary` as TMPDIR to what it starts
 * @param {{ onDisk?: boolean }} [options] `onDisk`: never in memory
 * @returns {Promise<{ result: T, left: string[] }>} what was left behind, in words
 */
export async function withTemporaryFolder(work, { onDisk = false } = {}) {
  const base = onDisk ? tmpdir() : await chooseBase();
  const folder = await mkdtemp(path.join(base, 'trellis-run-'));
  const run = { temporary: path.join(folder, 'tmp'), notes: folder };
  await mkdir(run.temporary);
  // Servers of tests may run as other users.
  await chmod(folder, 0o755);
  await chmod(run.temporary, 0o1777);
  const { release, abandon } = guard(folder);
  try {
    const result = await work(run);
    const [processes, files] = [await endRemaining(run), await readdir(run.temporary)];
    if (files.length === 0) await rm(folder, { recursive: true });
    const kept = files.map((name) => `folder ${path.join(run.temporary, name)}`);
    return { result, left: [...processes, ...kept] };
  } catch (error) {
    abandon();
    throw error;
  } finally {
    release();
  }
}

/**
 * Returns where temporary files go: to TMPDIR if it is set, else into memory if there is enough of it. Git and PostgreSQL
 * take a third less of the system's time there, and wait for no disk (docs/decisions/0040-where-test-time-goes.md).
 */
async function chooseBase() {
  if (process.env.TMPDIR) return tmpdir();
  const { type, bavail = 0, bsize = 0 } = await statfs(IN_MEMORY.folder).catch(() => ({}));
  const free = Math.min(bavail * bsize, freemem());
  return type === IN_MEMORY.type && free >= BYTES_IN_MEMORY ? IN_MEMORY.folder : tmpdir();
}

/** Processes that are about to end get some time for it. */
async function endRemaining({ temporary }) {
  const deadline = Date.now() + PATIENCE_MS;
  let pids = findProcessesNaming(temporary);
  while (pids.length > 0 && Date.now() < deadline) {
    await delay(POLL_MS);
    pids = findProcessesNaming(temporary);
  }
  return pids.map((pid) => {
    const title = titleOf(pid);
    end(pid);
    return `process ${pid} (${title})`;
  });
}
