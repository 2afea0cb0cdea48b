import { readFile } from 'node:fs/promises';

const MEGABYTE = 1024 * 1024;
const SAMPLE_MS = 20;

/**
 * Megabytes of main memory that a process holds; undefined where the system does not say.
 * @param {number} pid
 */
export async function residentMegabytes(pid) {
  return megabytesOf(await statusOf(pid), 'VmRSS');
}

/**
 * What the system says of a process; empty where it does not.
 * @param {number} pid
 */
export function statusOf(pid) {
  return readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
}

/**
 * @param {string} status of a process
 * @param {string} field a kind of memory; undefined without it
 */
export function megabytesOf(status, field) {
  const kilobytes = new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1];
  return kilobytes === undefined ? undefined : (Number(kilobytes) * 1024) / MEGABYTE;
}

/**
 * The most megabytes at any time while some work is done.
 * @param {() => Promise<number | undefined>} measure
 * @param {() => Promise<unknown>} work
 * @param {number} [sampleMs]
 */
export async function peakDuring(measure, work, sampleMs = SAMPLE_MS) {
  let peak = (await measure()) ?? 0;
  const timer = setInterval(() => {
    void measure().then((value = 0) => (peak = Math.max(peak, value)));
  }, sampleMs);
  try {
    await work();
  } finally {
    clearInterval(timer);
  }
  return peak;
}
