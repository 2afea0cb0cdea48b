import cliProgress from 'cli-progress';
import { KINDS, READER } from './rows.mjs';

const CHUNK = 5_000;

/**
 * Fills the database of a service with invented accounts, groups and projects, showing how far it is.
 * @param {{ rows(sql: string, parameters?: unknown[]): Promise<unknown[]> }} database
 * @param {import('./rows.mjs').Scale} scale
 */
export async function seedGrowth(database, scale) {
  const total = KINDS.reduce((sum, { count }) => sum + Math.ceil(count(scale)), 0);
  const bar = new cliProgress.SingleBar({
    format: `seeding ${scale.projects} projects  {bar} {percentage}%  {what}  {eta_formatted} left`,
    stream: process.stderr,
    hideCursor: true,
    clearOnComplete: true,
  });
  bar.start(total, 0, { what: '' });
  try {
    for (const kind of KINDS) await seedKind(database, kind, scale, bar);
  } finally {
    bar.stop();
  }
  await database.rows('ANALYZE');
}

async function seedKind(database, { what, count, sql }, scale, bar) {
  const last = Math.ceil(count(scale));
  for (let first = 1; first <= last; first += CHUNK) {
    const end = Math.min(first + CHUNK - 1, last);
    await database.rows(sql, [first, end, JSON.stringify(scale)]);
    bar.increment(end - first + 1, { what });
  }
}

/** Makes a user of the service the measured reader. */
export async function seedReader(database, userId) {
  for (const sql of READER) await database.rows(sql, [userId]);
  await database.rows('ANALYZE');
}
