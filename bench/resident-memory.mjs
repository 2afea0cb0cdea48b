import { readFile } from 'node:fs/promises';

const MEGABYTE = 1024 * 1024;
const SAMPLE_MS = 20;

/**
 * Megabytes of main memory that a process holds; undefined where the system does not say.
 * @param {number} pid
 */
export async function residentMegabytes(pid) {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1];
  return kilobytes === undefined ? undefined : (Number(kilobytes) * 1024) / MEGABYTE;
}

/**
 * The most that a process holds at any time while some work is done, in megabytes.
 * @param {number} pid
 * @param {() => Promise<unknown>} work
 */
export async function peakDuring(pid, work) {
  let peak = (await residentMegabytes(pid)) ?? 0;
  const timer = setInterval(() => {
    void residentMegabytes(pid).then((value = 0) => (peak = Math.max(peak, value)));
  }, SAMPLE_MS);
  try {
    await work();
  } finally {
    clearInterval(timer);
  }
  return peak;
}
