import pg from 'pg';
import { setTimeout as delay } from 'node:timers/promises';

const silent = { info() {}, warn() {}, error() {}, debug() {} };
const POLL_MS = 20;
const PATIENCE_MS = 600_000;
const PENDING = 'SELECT FROM outbox WHERE failed_at IS NULL LIMIT 1';
const BRING_FORWARD = `UPDATE outbox SET run_at = now()
  WHERE run_at > now() AND enqueued_at IS NULL AND failed_at IS NULL RETURNING id`;

/** A PostgreSQL as durable as in production, which the service and the baselines share. */
export class Database {
  #server;
  #pool;
  #others = [];

  constructor(server, url = server.url) {
    this.#server = server;
    this.url = url;
    this.#pool = new pg.Pool({ connectionString: url, max: 2 });
    // An idle connection that breaks; whoever needs it next is told.
    this.#pool.on('error', () => undefined);
  }

  /** @param {string} folder */
  static async start(folder) {
    const { EmbeddedPostgres } = await import('../dist/src/platform/database/embedded/index.js');
    return new Database(await EmbeddedPostgres.start({ dataDir: folder, logger: silent }));
  }

  /** An empty database on the same server. */
  async another(name) {
    await this.rows(`CREATE DATABASE ${name}`);
    const url = new URL(this.url);
    url.pathname = `/${name}`;
    const database = new Database(this.#server, url.href);
    this.#others.push(database);
    return database;
  }

  async rows(sql, parameters) {
    return (await this.#pool.query(sql, parameters)).rows;
  }

  /**
   * Lets the jobs that earlier requests caused run now, however long they were to wait, and
   * resolves when they are done: so they disturb nothing that is measured.
   */
  async untilJobsAreDone() {
    const deadline = Date.now() + PATIENCE_MS;
    while ((await this.rows(PENDING)).length > 0) {
      if (Date.now() > deadline) throw new Error('The worker does not get its jobs done');
      if ((await this.rows(BRING_FORWARD)).length > 0) await this.rows('NOTIFY outbox');
      await delay(POLL_MS);
    }
  }

  async stop() {
    for (const database of [...this.#others, this]) await database.#pool.end();
    await this.#server.stop();
  }
}
