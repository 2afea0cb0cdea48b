// What a profiled run writes down as it goes: files of JSON lines in one folder, which the environment names.
import { appendFileSync, readFileSync } from 'node:fs';
import path from 'node:path';

/**
 * - `processes`: `{ pid, role }`, with the role `suites` for those that run tests, `server` for PostgreSQL
 * - `files`: `{ file, onRedis, failed }` for each file that Jest has run
 * - `suites`: what the suites of a file took
 * @typedef {'processes' | 'files' | 'suites'} Subject
 */

/** Whether this run is profiled. */
export const isProfiled = () => process.env.TEST_PROFILE !== undefined;

/** The Jest project of suites with the queues on Redis. */
export const ON_REDIS = 'redis';

/** @param {{ displayName?: { name: string } }} project a Jest project's configuration */
export const isOnRedis = ({ displayName }) => displayName?.name === ON_REDIS;

/** @param {Subject} subject */
export function note(subject, record) {
  appendFileSync(fileOf(process.env.TEST_PROFILE, subject), `${JSON.stringify(record)}\n`);
}

/**
 * @param {string} folder
 * @param {Subject} subject
 * @returns {any[]} none when nothing was noted
 */
export function readNotes(folder, subject) {
  const lines = readText(fileOf(folder, subject)).split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line));
}

function fileOf(folder, subject) {
  return path.join(folder, `${subject}.jsonl`);
}

function readText(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (error.code === 'ENOENT') return '';
    throw error;
  }
}
