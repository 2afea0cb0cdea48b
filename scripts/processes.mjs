import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** Of the times in /proc, which are counted in hundredths of a second on every Linux. */
const TICK_MS = 10;

/**
 * @typedef {object} ProcessTimes
 * @property {number} pid
 * @property {number} parent
 * @property {number} ownMs processor time, user and system
 * @property {number} reapedMs that of its children that have ended and been waited for, with theirs
 */

/**
 * @param {number | 'self'} pid
 * @returns {ProcessTimes | undefined} undefined when there is no such process, or no /proc
 */
export function processTimes(pid) {
  const text = readText(`/proc/${pid}/stat`);
  if (text === undefined) return undefined;
  // The name in parentheses may hold anything; the fields behind it are proc(5)'s from the third on.
  const fields = text
    .slice(text.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
  const [parent, user, system, childUser, childSystem] = [1, 11, 12, 13, 14].map(
    (at) => fields[at],
  );
  return {
    pid: parseInt(text, 10),
    parent,
    ownMs: (user + system) * TICK_MS,
    reapedMs: (childUser + childSystem) * TICK_MS,
  };
}

/** @returns {ProcessTimes[]} none where the system does not say */
export function allProcesses() {
  const pids = namesIn('/proc').filter((name) => /^\d+$/.test(name));
  return pids.map((pid) => processTimes(Number(pid))).filter((times) => times !== undefined);
}

/**
 * The processes below one, without those of some subtrees.
 * @param {number} pid
 * @param {ProcessTimes[]} processes
 * @param {number[]} [without] the roots of the subtrees
 */
export function descendantsOf(pid, processes, without = []) {
  const found = [];
  let generation = [pid];
  while (generation.length > 0) {
    const children = processes.filter(
      (child) => generation.includes(child.parent) && !without.includes(child.pid),
    );
    found.push(...children);
    generation = children.map((child) => child.pid);
  }
  return found;
}

/** Processor time that the whole machine has taken so far, in milliseconds. */
export function machineCpuMs() {
  const [, fields = ''] = /^cpu +(.+)$/m.exec(readText('/proc/stat') ?? '') ?? [];
  const [user, nice, system, , , interrupts, softInterrupts] = fields.split(' ').map(Number);
  return (user + nice + system + interrupts + softInterrupts) * TICK_MS;
}

/** How a process calls itself; empty when there is none. */
export function titleOf(pid) {
  return (readText(`/proc/${pid}/cmdline`) ?? '').replaceAll('\0', ' ').trim();
}

/**
 * The processes, without this one, that have a text in their arguments, environment or working folder.
 * @param {string} text
 * @returns {number[]} process ids; none where the system does not say
 */
export function findProcessesNaming(text) {
  const pids = namesIn('/proc').filter((name) => /^\d+$/.test(name));
  const names = (pid) =>
    (readText(`/proc/${pid}/environ`) ?? '').includes(text) ||
    titleOf(pid).includes(text) ||
    workingFolderOf(pid).includes(text);
  return pids.map(Number).filter((pid) => pid !== process.pid && names(pid));
}

function workingFolderOf(pid) {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return '';
  }
}

/** Milliseconds in which the threads of a process ran or waited for a processor; 0 when there is no such process. */
export function busyMs(pid) {
  const threads = namesIn(`/proc/${pid}/task`).map((thread) => `/proc/${pid}/task/${thread}`);
  const nanoseconds = threads.flatMap((thread) =>
    (readText(`${thread}/schedstat`) ?? '').split(' ').slice(0, 2).map(Number),
  );
  return nanoseconds.reduce((sum, part) => sum + part, 0) / 1e6;
}

function readText(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

function namesIn(folder) {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
