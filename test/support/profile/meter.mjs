import { subscribe } from 'node:diagnostics_channel';
import path from 'node:path';
import { processTimes } from '../../../scripts/processes.mjs';

/**
 * What a suite's process is busy with or waits for, each with its number, wall time and processor time of the
 * process. What happens at the same time counts as the first in this order.
 */
const ACTIVITIES = ['loading', 'databases', 'starting', 'stopping', 'git', 'requests', 'other'];

/** Programs that a suite's process starts, each with its number and processor time. */
const PROGRAMS = ['gitOfTests', 'gitOfService', 'node', 'otherPrograms'];

const LAUNCHER = path.join('src', 'git', 'process', 'launcher.ts');
const API = '/api/v3';

/** Divides the time of this process, and of the programs it starts, by what it is taken for. */
export class Meter {
  #figures = {
    activities: figuresOf(ACTIVITIES, { count: 0, wallMs: 0, cpuMs: 0 }),
    programs: figuresOf(PROGRAMS, { count: 0, cpuMs: 0 }),
    connections: 0,
  };
  #underWay = figuresOf(ACTIVITIES, 0);
  #wallMs = performance.now();
  #cpuMs = ownCpuMs();
  #reapedMs = reapedMs();
  /** Processor time of the git processes that shells have run, by the process ID of the shell. */
  #ofShells = new Map();

  /** Counts also git processes and requests, for as long as this process runs. */
  watch() {
    subscribe('child_process', ({ process: child }) => this.#watchChild(child));
    subscribe('http.client.request.start', ({ request }) => this.#watchRequest(request));
    this.#watchFetch();
  }

  /** @returns a function that ends it; a second call does nothing */
  begin(activity) {
    this.#charge();
    this.#underWay[activity] += 1;
    this.#figures.activities[activity].count += 1;
    let hasEnded = false;
    return () => {
      if (hasEnded) return;
      hasEnded = true;
      this.#charge();
      this.#underWay[activity] -= 1;
    };
  }

  /** Counts a git process that a shell has run and waited for. */
  countGitOf(shell) {
    const before = this.#ofShells.get(shell) ?? 0;
    const total = processTimes(shell)?.reapedMs ?? before;
    this.#figures.programs.gitOfTests.count += 1;
    this.#figures.programs.gitOfTests.cpuMs += total - before;
    this.#ofShells.set(shell, total);
  }

  /** The figures so far. */
  read() {
    this.#charge();
    // What spawnSync starts is seen here for the first time.
    this.#chargeReaped('otherPrograms');
    return structuredClone(this.#figures);
  }

  /** Counts the time since the last call as what was under way in it. */
  #charge() {
    const wallMs = performance.now();
    const cpuMs = ownCpuMs();
    const current = ACTIVITIES.find((activity) => this.#underWay[activity] > 0) ?? 'other';
    const figures = this.#figures.activities[current];
    figures.wallMs += wallMs - this.#wallMs;
    figures.cpuMs += cpuMs - this.#cpuMs;
    this.#wallMs = wallMs;
    this.#cpuMs = cpuMs;
  }

  #chargeReaped(program) {
    const total = reapedMs();
    this.#figures.programs[program].cpuMs += total - this.#reapedMs;
    this.#reapedMs = total;
  }

  #watchChild(child) {
    const isOfService = calledFrom(LAUNCHER);
    child.once('spawn', () => {
      const program = isOfService ? 'gitOfService' : programOf(child.spawnfile);
      this.#figures.programs[program].count += 1;
      const end = program === 'gitOfTests' ? this.begin('git') : () => undefined;
      child.once('exit', () => {
        end();
        // What a shell has waited for is counted already.
        this.#reapedMs += this.#ofShells.get(child.pid) ?? 0;
        this.#ofShells.delete(child.pid);
        this.#chargeReaped(program);
      });
    });
  }

  #watchRequest(request) {
    if (!request.path.startsWith(API)) return;
    if (!request.reusedSocket) this.#figures.connections += 1;
    request.once('close', this.begin('requests'));
  }

  #watchFetch() {
    const ends = new WeakMap();
    const end = ({ request }) => ends.get(request)?.();
    subscribe('undici:request:create', ({ request }) => {
      if (request.path.startsWith(API)) ends.set(request, this.begin('requests'));
    });
    subscribe('undici:request:trailers', end);
    subscribe('undici:request:error', end);
  }
}

/** The difference of two readings. */
export function since(before, after) {
  if (typeof after === 'number') return after - before;
  return Object.fromEntries(
    Object.entries(after).map(([key, value]) => [key, since(before[key], value)]),
  );
}

function figuresOf(names, zero) {
  return Object.fromEntries(names.map((name) => [name, structuredClone(zero)]));
}

function ownCpuMs() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

const reapedMs = () => processTimes('self')?.reapedMs ?? 0;

function programOf(file) {
  if (file === process.execPath) return 'node';
  return path.basename(file) === 'git' ? 'gitOfTests' : 'otherPrograms';
}

/** Whether one of the callers is in a file. Reads the stack as it is: mapping it to sources is slow. */
function calledFrom(file) {
  const { prepareStackTrace } = Error;
  try {
    Error.prepareStackTrace = (_error, sites) => sites;
    return new Error().stack.some((site) => site.getFileName()?.endsWith(file));
  } finally {
    Error.prepareStackTrace = prepareStackTrace;
  }
}
