// The service as an operator runs it: built, in processes of its own, on loopback.
import { open, readFile } from 'node:fs/promises';
import { once } from 'node:events';
import path from 'node:path';
import { freePort } from '../../scripts/free-port.mjs';
import { descendants, HERE, isRunning, kill, until } from './processes.mjs';

const READY_MS = 120_000;
const PORT_ATTEMPTS = 5;
export const TOKEN = 'token-of-the-crash-rounds';

/** One service on one data folder, all in one process or api and worker apart. */
export class Service {
  /** The running processes by their role. */
  #processes = new Map();
  #log;
  /** How long the log was when the present worker was started. */
  #workerLog = 0;

  /**
   * @param roles of its processes; with a database of the script's own, api and worker run apart
   * @param environment variables beyond those that every service of a campaign has
   * @param settings.command what stands before the role on the command line
   * @param settings.machine where it runs
   * @param settings.port of the api; by default a free one for each start
   */
  constructor({ main, folder, redisUrl, database, roles, environment = {}, ...settings }) {
    const { command = ['start'], machine = HERE, port } = settings;
    Object.assign(this, { main, command, machine, fixedPort: port });
    this.dataDir = path.join(folder, 'data');
    this.logFile = path.join(folder, 'service.log');
    this.roles = roles ?? (database ? ['api', 'worker'] : ['all']);
    this.redisUrl = redisUrl;
    this.database = database;
    this.environment = environment;
    this.port = 0;
  }

  get url() {
    return `http://${this.machine.host}:${this.port}`;
  }

  pid(role) {
    return this.#processes.get(role)?.pid;
  }

  /** Roles whose process has ended, whoever ended it. */
  ended() {
    return this.roles.filter((role) => {
      const process = this.#processes.get(role);
      return !process || process.exitCode !== null || process.signalCode !== null;
    });
  }

  /** Starts what does not run, without waiting for it. */
  async launch() {
    this.#log ??= await open(this.logFile, 'a');
    for (const role of this.ended()) {
      if (role === 'worker') this.#workerLog = (await this.#log.stat()).size;
      else this.port = this.fixedPort ?? (await freePort());
      const child = await this.machine.spawn(process.execPath, [this.main, ...this.command, role], {
        cwd: path.dirname(this.dataDir),
        env: this.#environment(),
        stdio: ['ignore', this.#log.fd, this.#log.fd],
      });
      this.#processes.set(role, child);
    }
  }

  /** Starts what does not run and waits until requests are served. */
  async start() {
    for (let attempt = 1; ; attempt += 1) {
      await this.launch();
      const outcome = await until(() => this.#outcome(), READY_MS);
      if (outcome === 'ready') return;
      const portLost = (await readFile(this.logFile, 'utf8')).includes('EADDRINUSE');
      if (portLost && outcome === 'ended' && attempt < PORT_ATTEMPTS) continue;
      throw new Error(`The service does not start (${outcome || 'not ready in time'})`);
    }
  }

  /** @param withChildren the processes it has started die with it, as when a container is killed */
  async kill(role, { withChildren = false } = {}) {
    const child = this.#processes.get(role);
    if (!child || !(await isRunning(child.pid))) return;
    const ended = once(child, 'exit');
    const children = withChildren ? await descendants(child.pid) : [];
    kill(child.pid);
    for (const pid of children) kill(pid);
    await ended;
  }

  /** How many pushes the service has said to have settled after a crash. */
  async settledPushes() {
    const log = await readFile(this.logFile, 'utf8').catch(() => '');
    return log.split('Settled an interrupted push').length - 1;
  }

  /** The lines of the log beyond its first bytes, and how many bytes it has. */
  async logLines(from = 0) {
    const log = (await readFile(this.logFile)).subarray(from);
    const lines = log.toString().split('\n').slice(0, -1);
    return { lines, bytes: from + log.length };
  }

  /** Of the database server, which outlives a killed service. */
  async postmasterPid() {
    return (await this.#postmaster())?.pid;
  }

  /** Address of the database for the owner of all tables; undefined while there is none. */
  async databaseUrl() {
    if (this.database) return this.database.url;
    const postmaster = await this.#postmaster();
    const password = await readFile(path.join(this.dataDir, 'postgres.password'), 'utf8');
    if (!postmaster?.ready) return undefined;
    return `postgres://postgres:${password.trim()}@127.0.0.1:${postmaster.port}/trellis`;
  }

  /** Asks every process, or those of some roles, to end in order; answers what went wrong. */
  async stop(...roles) {
    const problems = [];
    for (const [role, child] of this.#processes) {
      if (roles.length > 0 && !roles.includes(role)) continue;
      if (!(await isRunning(child.pid))) continue;
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      const [code, signal] = await ended;
      if (code !== 0) problems.push(`SIGTERM ends ${role} with ${code ?? signal}`);
    }
    return problems;
  }

  /** Ends everything that may still run, in no order; safe to call at any moment. */
  async destroy() {
    for (const child of this.#processes.values()) kill(child.pid);
    const postmaster = this.database ? undefined : await this.postmasterPid();
    if (postmaster !== undefined && (await isRunning(postmaster))) {
      process.kill(postmaster, 'SIGQUIT');
      await until(async () => !(await isRunning(postmaster)), 10_000);
    }
    await this.#log?.close();
    this.#log = undefined;
  }

  #environment() {
    return {
      PATH: process.env.PATH,
      DATA_DIR: this.dataDir,
      PORT: String(this.port),
      HOST: this.machine.host,
      SSH_PORT: 'off',
      ROOT_TOKEN: TOKEN,
      ROOT_PASSWORD: 'password-of-the-crash-rounds',
      LOG_LEVEL: 'info',
      ...(this.redisUrl ? { REDIS_URL: this.redisUrl } : {}),
      ...(this.database ? { DATABASE_URL: this.database.url } : {}),
      ...this.environment,
    };
  }

  async #outcome() {
    if (this.ended().length > 0) return 'ended';
    if (this.roles.includes('worker')) {
      const log = await readFile(this.logFile);
      if (!log.includes('The worker is running', this.#workerLog)) return null;
    }
    if (this.roles.every((role) => role === 'worker')) return 'ready';
    const answer = await fetch(`${this.url}/readyz`).catch(() => null);
    return answer?.status === 200 ? 'ready' : null;
  }

  async #postmaster() {
    const folder = this.database?.dataDir ?? this.dataDir;
    const file = path.join(folder, 'postgres', 'postmaster.pid');
    const lines = (await readFile(file, 'utf8').catch(() => '')).split('\n');
    if (lines.length < 4) return undefined;
    return { pid: Number(lines[0]), port: Number(lines[3]), ready: lines[7]?.trim() === 'ready' };
  }
}
