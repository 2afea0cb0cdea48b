// A primary of PostgreSQL and a synchronous standby, to be killed and promoted, of the script's own.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chown, mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import pg from 'pg';
import { load } from '../crash/own-database.mjs';
import { descendants, freePort, kill, run, until } from '../crash/processes.mjs';

const USER = 'trellis';
const READY_MS = 30_000;
const POLL_MS = 100;
const SETTINGS = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '100',
  wal_keep_size: '256MB',
  // Nothing here has to survive the machine; a killed server loses nothing by it.
  fsync: 'off',
};

export class PostgresCluster {
  /** Starts both below the scratch folder, with the tables of the service. */
  static async start(scratch) {
    const embedded = ['platform', 'database', 'embedded'];
    const { findBinaries } = await load(...embedded, 'binaries.js');
    const { chooseLauncher } = await load(...embedded, 'process', 'launcher.js');
    const place = path.join(scratch.folder, 'cluster');
    await mkdir(place);
    const binaries = await findBinaries();
    const launcher = await chooseLauncher(binaries, path.join(place, 'one'));
    if (launcher.owner !== undefined) await chown(place, launcher.owner.uid, launcher.owner.gid);
    const [primary, standby] = await Promise.all(
      ['one', 'two'].map(async (name) => {
        const folder = path.join(place, name);
        return new Server({ binaries, launcher, folder, port: await freePort() });
      }),
    );
    const cluster = new PostgresCluster();
    const hosts = [primary, standby].map(({ port }) => `127.0.0.1:${port}`).join(',');
    const url = `postgres://${USER}@${hosts}/${USER}?target_session_attrs=read-write`;
    Object.assign(cluster, { primary, standby, url });
    scratch.defer(() => cluster.end());
    await cluster.#make();
    return cluster;
  }

  /** What scripts read past the service: the database of the primary, at its present address. */
  get database() {
    const server = () => this.primary;
    return {
      get url() {
        return server().url();
      },
    };
  }

  /**
   * Has the primary end and the standby take its place.
   * @param how `kill` ends all its processes at once, `freeze` lets them hold connections and answer nothing
   */
  async failOver(how) {
    const { primary, standby } = this;
    await primary[how]();
    await standby.rows('SELECT pg_promote(true, 30)');
    Object.assign(this, { primary: standby, standby: primary });
  }

  /** Makes a standby of what was the primary. */
  async replaceStandby() {
    const { primary, standby } = this;
    await standby.kill();
    await primary.copyTo(standby);
    await standby.start();
    const isStreaming = async () => (await this.#replicas()).length > 0;
    if (!(await until(isStreaming, READY_MS, POLL_MS))) throw new Error('The standby is not there');
    await primary.rows(`ALTER SYSTEM SET synchronous_standby_names = '*'`);
    await primary.rows('SELECT pg_reload_conf()');
    const isSynchronous = async () => (await this.#replicas()).includes('sync');
    if (!(await until(isSynchronous, READY_MS, POLL_MS))) throw new Error('It does not follow');
  }

  async end() {
    for (const server of [this.primary, this.standby]) await server.kill();
  }

  async #make() {
    const { primary } = this;
    await primary.create();
    await primary.start();
    await primary.rows(`CREATE DATABASE ${USER}`, 'postgres');
    const { migrate } = await load('roles', 'migrate.js');
    await migrate(primary.url());
    await this.replaceStandby();
  }

  async #replicas() {
    const rows = await this.primary.rows('SELECT sync_state FROM pg_stat_replication');
    return rows.map(({ sync_state: state }) => state);
  }
}

class Server {
  #child;

  constructor({ binaries, launcher, folder, port }) {
    Object.assign(this, { binaries, launcher, folder, port });
  }

  url(database = USER) {
    return `postgres://${USER}@127.0.0.1:${this.port}/${database}`;
  }

  async create() {
    const options = ['-D', this.folder, '-U', USER, '--auth=trust', '--encoding=UTF8', '--no-sync'];
    const { file, args, options: identity } = this.launcher.command(this.binaries.initdb, options);
    const child = spawn(file, args, { ...identity, stdio: 'ignore' });
    const [code] = await once(child, 'exit');
    if (code !== 0) throw new Error(`initdb ends with ${code}`);
  }

  async start() {
    const all = Object.entries({ ...SETTINGS, port: this.port });
    const options = [
      '-D',
      this.folder,
      ...all.flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    ];
    const { launcher, binaries } = this;
    const { file, args, options: identity } = launcher.command(binaries.postgres, options);
    this.#child = spawn(file, args, { ...identity, stdio: 'ignore' });
    const isReady = () => this.rows('SELECT 1', 'postgres').then(Boolean, () => false);
    if (!(await until(isReady, READY_MS, POLL_MS))) throw new Error('PostgreSQL does not start');
  }

  async kill() {
    if (!this.#isRunning()) return;
    const ended = once(this.#child, 'exit');
    for (const pid of await this.#pids()) kill(pid);
    await ended;
  }

  async freeze() {
    for (const pid of await this.#pids()) process.kill(pid, 'SIGSTOP');
  }

  /** Copies itself while it runs, to one that follows it when it starts. */
  async copyTo(standby) {
    await this.#connected(USER, async (client) => {
      await client.query(`SELECT pg_backup_start('standby', true)`);
      await rm(standby.folder, { recursive: true, force: true });
      // Files that vanish meanwhile are in the log of changes.
      await run('cp', ['-a', this.folder, standby.folder]);
      const { rows } = await client.query('SELECT labelfile AS label FROM pg_backup_stop(false)');
      await standby.#write('backup_label', rows[0].label);
    });
    await rm(path.join(standby.folder, 'postmaster.pid'));
    const primary = `host=127.0.0.1 port=${this.port} user=${USER} application_name=standby`;
    await standby.#write('postgresql.auto.conf', `primary_conninfo = '${primary}'\n`);
    await standby.#write('standby.signal', '');
  }

  async rows(sql, database = USER) {
    return this.#connected(database, async (client) => (await client.query(sql)).rows);
  }

  async #connected(database, work) {
    const client = new pg.Client({ connectionString: this.url(database) });
    client.on('error', () => undefined);
    await client.connect();
    try {
      return await work(client);
    } finally {
      await client.end();
    }
  }

  #isRunning() {
    return this.#child?.exitCode === null && this.#child.signalCode === null;
  }

  /** The processes of sessions are in groups of their own. */
  async #pids() {
    return [this.#child.pid, ...(await descendants(this.#child.pid))];
  }

  async #write(name, content) {
    const file = path.join(this.folder, name);
    await writeFile(file, content);
    const { owner } = this.launcher;
    if (owner !== undefined) await chown(file, owner.uid, owner.gid);
  }
}
