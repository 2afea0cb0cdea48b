import { link, readFile, rm, writeFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';

const POLL_MS = 250;

const read = (path) => readFile(path, 'utf8').catch(() => undefined);

/** Tells a process from a later one with the same id, where the system offers that cheaply. */
async function stampOf(pid) {
  const stat = (await read(`/proc/${pid}/stat`)) ?? '';
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
}

async function isLive(text) {
  const [pid, stamp] = text.trim().split(' ');
  try {
    process.kill(Number(pid), 0);
  } catch (error) {
    if (error.code !== 'EPERM') return false;
  }
  return (await stampOf(pid)) === (stamp ?? '');
}

/**
 * Takes a dead holder's lock away. Under a lock that is named after the dead one: what another process read a
 * moment ago may be the lock of a live one by now.
 */
async function clear(path, dead) {
  const ignore = () => undefined;
  await withLock(`${path}.${dead.replaceAll(/\W/g, '-')}`, ignore, async () => {
    if ((await read(path)) === dead) await rm(path, { force: true });
  });
}

/**
 * Does some work while no other process does work under the same lock file; the lock of a process
 * that died is void.
 * @param onWait called once with the holder's process id when the lock has to be waited for
 */
export async function withLock(path, onWait, work) {
  const text = `${process.pid} ${await stampOf(process.pid)}\n`;
  const draft = `${path}.${process.pid}-draft`;
  await writeFile(draft, text);
  let told = false;
  try {
    while (
      !(await link(draft, path).then(
        () => true,
        () => false,
      ))
    ) {
      const holder = await read(path);
      if (holder === undefined) continue;
      if (!(await isLive(holder))) {
        await clear(path, holder);
        continue;
      }
      if (!told) onWait(holder.split(' ')[0]);
      told = true;
      await delay(POLL_MS);
    }
  } finally {
    await rm(draft, { force: true });
  }
  try {
    return await work();
  } finally {
    await rm(path, { force: true });
  }
}
