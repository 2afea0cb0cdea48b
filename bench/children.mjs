import { spawn } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';

const GRACE_MS = 15_000;

/** @type {Set<import('node:child_process').ChildProcess>} */
const living = new Set();

/**
 * Starts a process in a group of its own, so that Ctrl-C in the terminal reaches this one alone,
 * which then ends the others in order.
 * @param {string} file
 * @param {readonly string[]} args
 * @param {import('node:child_process').SpawnOptions} options
 */
export function start(file, args, options) {
  const child = spawn(file, args, { ...options, detached: true });
  living.add(child);
  child.once('close', () => living.delete(child));
  child.once('error', () => living.delete(child));
  return child;
}

/** @param {import('node:child_process').ChildProcess} child */
export function hasEnded(child) {
  return child.exitCode !== null || child.signalCode !== null || child.pid === undefined;
}

/**
 * Asks a process to end and insists after a while.
 * @param {import('node:child_process').ChildProcess} child
 */
export async function end(child) {
  if (hasEnded(child)) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  const patience = new AbortController();
  const insist = delay(GRACE_MS, undefined, { signal: patience.signal }).then(
    () => killGroup(child),
    () => undefined,
  );
  await ended;
  patience.abort();
  await insist;
}

/** Ends everything that was started and still runs. */
export async function endAll() {
  await Promise.all([...living].map(end));
}

function killGroup(child) {
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch (error) {
    if (error.code !== 'ESRCH') throw error;
  }
}

process.once('exit', () => living.forEach(killGroup));
