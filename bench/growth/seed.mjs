import cliProgress from 'cli-progress';

const CHUNK = 5_000;

/**
 * What an instance is filled with.
 * @typedef {object} Stock
 * @property {string} label for the progress bar
 * @property {object} scale $3 of the kinds' statements
 * @property {import('./rows.mjs').Kind[]} kinds
 * @property {string[]} reader statements that make the user with the ID $1 the measured reader
 */

/**
 * Fills the database of a service with an invented stock, showing how far it is.
 * @param {{ rows(sql: string, parameters?: unknown[]): Promise<unknown[]> }} database
 * @param {Stock} stock
 */
export async function seedGrowth(database, { label, scale, kinds }) {
  const total = kinds.reduce((sum, { count }) => sum + Math.ceil(count(scale)), 0);
  const bar = new cliProgress.SingleBar({
    format: `seeding ${label}  {bar} {percentage}%  {what}  {eta_formatted} left`,
    stream: process.stderr,
    hideCursor: true,
    clearOnComplete: true,
  });
  bar.start(total, 0, { what: '' });
  try {
    for (const kind of kinds) await seedKind(database, kind, scale, bar);
  } finally {
    bar.stop();
  }
  // As PostgreSQL does by itself a minute later: until then no index is enough without its table.
  await database.rows('VACUUM ANALYZE');
}

async function seedKind(database, { what, count, sql }, scale, bar) {
  const last = Math.ceil(count(scale));
  for (let first = 1; first <= last; first += CHUNK) {
    const end = Math.min(first + CHUNK - 1, last);
    await database.rows(sql, [first, end, JSON.stringify(scale)]);
    bar.increment(end - first + 1, { what });
  }
}

/**
 * Makes a user of the service the measured reader.
 * @param {{ rows(sql: string, parameters?: unknown[]): Promise<unknown[]> }} database
 * @param {Stock} stock
 */
export async function seedReader(database, { reader }, userId) {
  for (const sql of reader) await database.rows(sql, [userId]);
  await database.rows('ANALYZE');
}
