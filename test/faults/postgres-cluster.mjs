// A primary of PostgreSQL and a synchronous standby, to be killed and promoted, of the script's own.
import { once } from 'node:events';
import { appendFile, chown, mkdir, open, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import pg from 'pg';
import { load } from '../crash/own-database.mjs';
import { freePort } from '../../scripts/free-port.mjs';
import { descendants, HERE, isRunning, kill, run, until } from '../crash/processes.mjs';

const USER = 'trellis';
const READY_MS = 30_000;
const POLL_MS = 100;
/** Of `postmaster.pid`: key and ID of the segment of shared memory. */
const SEGMENT_LINE = 6;
const SETTINGS = {
  unix_socket_directories: '',
  max_connections: '100',
  wal_keep_size: '256MB',
  // Nothing here has to survive the machine; a killed server loses nothing by it.
  fsync: 'off',
  // In the folder of the server: a killed one that is replaced would leave its shared memory behind.
  dynamic_shared_memory_type: 'mmap',
};

export class PostgresCluster {
  /** Starts both below the scratch folder, with the tables of the service. */
  static async start(scratch, machines = [HERE, HERE]) {
    const embedded = ['platform', 'database', 'embedded'];
    const { findBinaries } = await load(...embedded, 'binaries.js');
    const { chooseLauncher } = await load(...embedded, 'process', 'launcher.js');
    const place = path.join(scratch.folder, 'cluster');
    await mkdir(place);
    const binaries = await findBinaries();
    const launcher = await chooseLauncher(binaries, path.join(place, 'one'));
    if (launcher.owner !== undefined) await chown(place, launcher.owner.uid, launcher.owner.gid);
    const [primary, standby] = await Promise.all(
      ['one', 'two'].map(async (name, index) => {
        const folder = path.join(place, name);
        const machine = machines[index];
        return new Server({ binaries, launcher, folder, machine, port: await freePort() });
      }),
    );
    const cluster = new PostgresCluster();
    const hosts = [primary, standby].map(({ address }) => address).join(',');
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
    await this.primary[how]();
    await this.promote();
  }

  get servers() {
    return [this.primary, this.standby];
  }

  async promote() {
    const { primary, standby } = this;
    await standby.rows('SELECT pg_promote(true, 30)');
    Object.assign(this, { primary: standby, standby: primary });
  }

  /** Has the primary commit without a standby, as a cluster manager does when that is lost. */
  async standAlone() {
    this.isSynchronous = false;
    await this.primary.rows(`ALTER SYSTEM RESET synchronous_standby_names`);
    await this.primary.rows('SELECT pg_reload_conf()');
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
    this.isSynchronous = true;
  }

  async end() {
    for (const server of this.servers) await server.kill();
  }

  async #make() {
    const { primary } = this;
    await primary.create();
    await primary.start();
    await primary.rows(`CREATE DATABASE ${USER}`, 'postgres');
    const { migrate } = await load('bootstrap', 'migrate.js');
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

  constructor({ binaries, launcher, folder, machine, port }) {
    Object.assign(this, { binaries, launcher, folder, machine, port });
  }

  get address() {
    return `${this.machine.host}:${this.port}`;
  }

  url(database = USER) {
    return `postgres://${USER}@${this.address}/${database}`;
  }

  async create() {
    const options = ['-D', this.folder, '-U', USER, '--auth=trust', '--encoding=UTF8', '--no-sync'];
    const { file, args, options: identity } = this.launcher.command(this.binaries.initdb, options);
    const child = await this.machine.spawn(file, args, { ...identity, stdio: 'ignore' });
    if (child.exitCode === null) await once(child, 'exit');
    if (child.exitCode !== 0) throw new Error(`initdb ends with ${child.exitCode}`);
    const access = ['all', 'replication'].map((what) => `host ${what} all samenet trust\n`);
    await appendFile(path.join(this.folder, 'pg_hba.conf'), access.join(''));
  }

  async start() {
    const own = { listen_addresses: this.machine.host, port: this.port };
    const all = Object.entries({ ...SETTINGS, ...own });
    const options = [
      '-D',
      this.folder,
      ...all.flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    ];
    const { launcher, binaries } = this;
    const { file, args, options: identity } = launcher.command(binaries.postgres, options);
    const log = await open(`${this.folder}.log`, 'a');
    const stdio = ['ignore', log.fd, log.fd];
    this.#child = await this.machine.spawn(file, args, { ...identity, stdio });
    await log.close();
    const isReady = () => this.rows('SELECT 1', 'postgres').then(Boolean, () => false);
    if (!(await until(isReady, READY_MS, POLL_MS))) throw new Error('PostgreSQL does not start');
  }

  async kill() {
    if (!this.#isRunning()) return;
    const ended = once(this.#child, 'exit');
    const pids = await this.#pids();
    for (const pid of pids) kill(pid);
    await ended;
    // PostgreSQL does not start while one of them has its memory.
    const areGone = async () => !(await Promise.all(pids.map(isRunning))).includes(true);
    if (!(await until(areGone, READY_MS, 5))) throw new Error('PostgreSQL does not end');
    await this.#removeSharedMemory();
  }

  /** A killed server leaves a segment, by which the next one in its folder would know that it is gone. */
  async #removeSharedMemory() {
    const lines = (await readFile(path.join(this.folder, 'postmaster.pid'), 'utf8')).split('\n');
    const [, id] = lines[SEGMENT_LINE].trim().split(/\s+/);
    await run('ipcrm', ['--shmem-id', id]);
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
    const { host } = this.machine;
    const primary = `host=${host} port=${this.port} user=${USER} application_name=standby`;
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
