import { setInterval } from 'node:timers';
import { allProcesses, busyMs, descendantsOf, titleOf } from '../processes.mjs';
import { readNotes } from './notes.mjs';

const SAMPLE_MS = 100;
/** The database of a connection, as its process calls itself. */
const DATABASE = /^postgres: (?:autovacuum worker (\S+)|\S+ (\S+) \S+\(\d+\))/;
/** In which other databases are created and dropped. */
const MAINTENANCE = 'postgres';

/**
 * What ran, or waited for a processor, between two samples. Milliseconds each.
 * @typedef {object} Interval
 * @property {number} begin since 1970
 * @property {number} end
 * @property {Record<string, number>} processes of suites, by process id: with all that they have started
 * @property {Record<string, number>} databases by name: the processes of their connections
 * @property {number} server processor time of PostgreSQL for no suite's database
 */

/** Sees ten times a second what a profiled run keeps busy, from outside: PostgreSQL too serves all suites. */
export class Sampler {
  /** @type {Interval[]} */
  intervals = [];
  #folder;
  #timer;
  #last;
  /** What was last seen of each connection, by process id. */
  #connections = new Map();
  /** Of connections that have ended, by database. */
  #ended = new Map();
  /** Of each PostgreSQL server: processor time with that of its processes. */
  #servers = new Map();

  /** @param {string} folder of the run's notes */
  constructor(folder) {
    this.#folder = folder;
  }

  start() {
    this.#last = this.#sample();
    this.#timer = setInterval(() => this.#take(), SAMPLE_MS);
  }

  stop() {
    clearInterval(this.#timer);
    this.#take();
  }

  /** Processor time of PostgreSQL: all of it, and that of connections by database. */
  get server() {
    const databases = this.#databases('cpuMs');
    const { [MAINTENANCE]: maintenanceMs = 0 } = databases;
    return { totalMs: sum(this.#servers.values()), maintenanceMs, databases };
  }

  #take() {
    const last = this.#last;
    const now = this.#sample();
    this.#last = now;
    this.intervals.push({
      begin: last.at,
      end: now.at,
      processes: rise(last.processes, now.processes),
      databases: rise(last.databases, now.databases),
      server: Math.max(0, now.serverMs - last.serverMs),
    });
  }

  #sample() {
    const at = Date.now();
    const processes = allProcesses();
    const noted = readNotes(this.#folder, 'processes');
    const servers = noted.filter(({ role }) => role === 'server').map(({ pid }) => pid);
    this.#forgetEnded(processes);
    for (const pid of servers) this.#lookAtServer(pid, processes);
    const ofSuites = noted.filter(({ role }) => role === 'suites').map(({ pid }) => pid);
    const { totalMs, maintenanceMs, databases } = this.server;
    return {
      at,
      processes: Object.fromEntries(
        ofSuites.map((pid) => [pid, effortOf(pid, processes, servers)]),
      ),
      databases: this.#databases('busyMs'),
      // Creating a database keeps whoever waits for it busy.
      serverMs: totalMs + maintenanceMs - sum(Object.values(databases)),
    };
  }

  #lookAtServer(pid, processes) {
    const server = processes.find((other) => other.pid === pid);
    if (server === undefined) return;
    const children = processes.filter(({ parent }) => parent === pid);
    this.#servers.set(
      pid,
      server.ownMs + server.reapedMs + sum(children.map(({ ownMs }) => ownMs)),
    );
    for (const child of children) {
      const database = this.#connections.get(child.pid)?.database ?? databaseOf(child.pid);
      if (database === undefined) continue;
      const figures = { cpuMs: child.ownMs, busyMs: busyMs(child.pid) };
      this.#connections.set(child.pid, { database, ...figures });
    }
  }

  /** Process ids are used again. */
  #forgetEnded(processes) {
    const living = new Set(processes.map(({ pid }) => pid));
    for (const [pid, connection] of this.#connections) {
      if (living.has(pid)) continue;
      const { database, cpuMs, busyMs: wasBusyMs } = connection;
      const ended = this.#ended.get(database) ?? { cpuMs: 0, busyMs: 0 };
      this.#ended.set(database, {
        cpuMs: ended.cpuMs + cpuMs,
        busyMs: ended.busyMs + wasBusyMs,
      });
      this.#connections.delete(pid);
    }
  }

  /** @param {'cpuMs' | 'busyMs'} figure of all connections, by database */
  #databases(figure) {
    const found = {};
    const add = (database, figures) => {
      found[database] = (found[database] ?? 0) + figures[figure];
    };
    for (const [database, figures] of this.#ended) add(database, figures);
    for (const connection of this.#connections.values()) add(connection.database, connection);
    return found;
  }
}

/** Of a process and the programs it has started; of those that have ended, without their wait for a processor. */
function effortOf(pid, processes, servers) {
  const self = processes.find((other) => other.pid === pid);
  if (self === undefined) return 0;
  const all = [self, ...descendantsOf(pid, processes, servers)];
  return sum(all.map((one) => busyMs(one.pid) + one.reapedMs));
}

function databaseOf(pid) {
  const [, cleaned, connected] = DATABASE.exec(titleOf(pid)) ?? [];
  return cleaned ?? connected;
}

function rise(before, after) {
  const changes = Object.entries(after).map(([key, value]) => [key, value - (before[key] ?? 0)]);
  return Object.fromEntries(changes.filter(([, change]) => change > 0));
}

function sum(values) {
  return [...values].reduce((total, value) => total + value, 0);
}
