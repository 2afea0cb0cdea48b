import { readdir, readFile } from 'node:fs/promises';

/** Of the times in /proc, which are counted in hundredths of a second on every Linux. */
const TICK_MS = 10;

/** @returns {Promise<{ pid: number, parent: number, own: number, reaped: number } | undefined>} */
async function processTimes(pid) {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  // The name in parentheses may hold anything; the fields behind it are proc(5)'s from the third on.
  const fields = text
    .slice(text.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
  const [parent, user, system, childUser, childSystem] = [1, 11, 12, 13, 14].map(
    (at) => fields[at],
  );
  return { pid, parent, own: user + system, reaped: childUser + childSystem };
}

async function allProcesses() {
  const names = await readdir('/proc').catch(() => []);
  const pids = names.filter((name) => /^\d+$/.test(name)).map(Number);
  return (await Promise.all(pids.map(processTimes))).filter((times) => times !== undefined);
}

/**
 * Milliseconds of processor time that all processes below this one have taken so far, ended ones
 * included, this one left out: services, database and git, but not the making of requests.
 * Undefined where the system does not say.
 */
export async function cpuMsOfDescendants() {
  const processes = await allProcesses();
  const self = processes.find(({ pid }) => pid === process.pid);
  if (self === undefined) return undefined;
  let ticks = self.reaped;
  let generation = [self.pid];
  while (generation.length > 0) {
    const children = processes.filter(({ parent }) => generation.includes(parent));
    for (const { own, reaped } of children) ticks += own + reaped;
    generation = children.map(({ pid }) => pid);
  }
  return ticks * TICK_MS;
}
