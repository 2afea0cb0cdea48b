// Plays an attack while the probe watches, and says what came of it.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { setTimeout as delay } from 'node:timers/promises';
import { until } from '../crash/processes.mjs';
import { KINDS } from './figures.mjs';
import { ProcessSampler } from './process-sampler.mjs';
import { defectsIn } from './report.mjs';

const PREPARE_LIMIT_MS = 240_000;
const DEFAULT_LIMIT_MS = 8_000;
/** For the attacker to sum up, before it is killed. */
const SUMMARY_MS = 10_000;
/** What a service needs at rest; one that has kept more from the attack before is started anew. */
const MOST_AT_REST_BYTES = 350 * 1024 * 1024;
/** The probe watches at least this long, so that a percentile means something. */
const LEAST_WATCH_MS = 6_000;
/** A service that answers within this is itself again. */
const CALM_MS = 400;
const CALM_LIMIT_MS = 5_000;
const WARM_UP_MS = 1_500;

const local = (name) => fileURLToPath(new URL(name, import.meta.url));

export class Match {
  #calmMs = CALM_MS;

  /**
   * @param patienceMs how long the service may take to be itself again, before it is killed
   * @param graceMs how long after the end of the attack answers may come
   * @param progress says what is being done
   */
  constructor({ stage, patienceMs, graceMs, progress }) {
    Object.assign(this, { stage, patienceMs, graceMs, progress });
  }

  /** Where the machine does other work, what is usual there is calm. */
  set usualSilenceMs(ms) {
    this.#calmMs = Math.max(CALM_MS, 2 * ms);
  }

  /** The probe alone: what this machine makes of it without any attack. */
  async baseline(ms) {
    const probe = await Probe.start(this.stage.probed);
    await delay(WARM_UP_MS);
    await probe.reset();
    await delay(ms);
    return { ...(await probe.end()), answers: [] };
  }

  /**
   * @param attack with `name` and `limitMs`; @param params of the variation; @param seed of its texts
   * @returns the probe's records, `answers` of the attacker as [text, { count, isClear }], `defects` that the service has
   *   logged, and `failure` where the attack could not be played or the service did not survive it
   */
  async play(attack, params, seed) {
    const attacker = new Attacker();
    try {
      this.progress('preparing');
      const { stage } = this;
      const { name, limitMs = DEFAULT_LIMIT_MS } = attack;
      const prepared = await attacker.ask(
        { type: 'prepare', name, params, seed, setup: stage.setup },
        PREPARE_LIMIT_MS,
      );
      if (prepared.type !== 'prepared') return await this.#notPlayed(prepared);
      if (!(await this.#freshService())) {
        return { answers: [], failure: 'not back after its preparation' };
      }
      this.progress('attacking');
      const probe = await Probe.start(stage.probed);
      await until(() => this.#isCalm(probe), CALM_LIMIT_MS, 100);
      await probe.reset();
      const url = stage.service.url;
      const { graceMs } = this;
      const { bytes } = await stage.service.logLines();
      const ended = await attacker.ask(
        { type: 'run', url, limitMs, graceMs },
        limitMs + graceMs + SUMMARY_MS,
      );
      attacker.kill();
      this.progress('recovering');
      const isBack = await until(
        async () => !stage.isRunning || (await this.#isCalm(probe)),
        this.patienceMs,
        100,
      );
      if (isBack && stage.isRunning) await probe.lasts(LEAST_WATCH_MS);
      const records = await probe.end();
      const { lines } = await stage.service.logLines(bytes);
      return { ...records, defects: defectsIn(lines), ...(await this.#outcome(ended, isBack)) };
    } finally {
      attacker.kill();
      await this.stage.tidy();
    }
  }

  async #outcome(ended, isBack) {
    const { stage } = this;
    const died = stage.service.ended();
    let failure;
    if (died.length > 0) failure = `${died.join(' and ')} died`;
    else if (!isBack) failure = `not back after ${this.patienceMs / 1_000} s`;
    else if (ended.type === 'late') failure = 'the attacker came to no end';
    else if (ended.type === 'failed') failure = ended.refusal ?? ended.stack;
    if (died.length > 0 || !isBack) this.stage = await stage.renew();
    return { answers: ended.answers ?? [], failure };
  }

  /** A refusal of what the attack needs is what it is answered. */
  async #notPlayed({ type, refusal, stack }) {
    if (!this.stage.isRunning) this.stage = await this.stage.renew();
    if (refusal !== undefined) {
      return { answers: [[`refused beforehand: ${refusal}`, { count: 1, isClear: true }]] };
    }
    const failure = type === 'late' ? 'not prepared in time' : `not prepared: ${stack}`;
    await this.#freshService();
    return { answers: [], failure };
  }

  /**
   * Waits until the service rests, and starts it anew where it holds too much to be measured.
   * @returns whether what was prepared is still there
   */
  async #freshService() {
    const { stage } = this;
    const isServed = async () => {
      const begun = performance.now();
      const answer = await fetch(`${stage.service.url}/healthz`).catch(() => null);
      return answer?.ok === true && performance.now() - begun < this.#calmMs;
    };
    const isBack = await until(isServed, this.patienceMs, 200);
    const { apiBytes } = new ProcessSampler(stage.pids).sample();
    if (!isBack) this.stage = await stage.renew();
    else if (apiBytes > MOST_AT_REST_BYTES) await stage.restart();
    return isBack !== false;
  }

  async #isCalm(probe) {
    const { waitingMs, last } = await probe.state();
    const isPrompt = ({ ok, ms } = {}) => ok === true && ms < this.#calmMs;
    return waitingMs < this.#calmMs && KINDS.every((kind) => isPrompt(last[kind]));
  }
}

/** The other user, in a process of its own. */
export class Probe {
  static async start(probed) {
    const probe = new Probe();
    probe.child = fork(local('probe.mjs'), { stdio: 'inherit' });
    probe.child.send({ type: 'begin', ...probed });
    return probe;
  }

  state() {
    return this.#ask('state');
  }

  reset() {
    this.begun = performance.now();
    return this.#ask('reset');
  }

  /** Resolves when the probe has watched for so long. */
  lasts(ms) {
    return delay(Math.max(0, ms - (performance.now() - this.begun)));
  }

  async end() {
    const records = await this.#ask('end');
    this.child.disconnect();
    return records;
  }

  async #ask(type) {
    const answer = once(this.child, 'message');
    this.child.send({ type });
    return (await answer)[0];
  }
}

/** The attacker's process, with a group of its own for all that it starts. */
class Attacker {
  constructor() {
    this.child = fork(local('attacker.mjs'), { detached: true, stdio: 'inherit' });
  }

  /** @returns its answer; of type `late` when there is none in time, `failed` when it has died */
  async ask(message, limitMs) {
    const timer = new AbortController();
    const { signal } = timer;
    this.child.send(message);
    try {
      return await Promise.race([
        once(this.child, 'message', { signal }).then(([answer]) => answer),
        once(this.child, 'exit', { signal }).then(() => ({ type: 'failed', stack: 'it died' })),
        delay(limitMs, { type: 'late' }, { signal }),
      ]);
    } finally {
      timer.abort();
    }
  }

  kill() {
    try {
      process.kill(-this.child.pid, 'SIGKILL');
    } catch (error) {
      if (error.code !== 'ESRCH') throw error;
    }
  }
}
