import path from 'node:path';
import { call } from '../crash/creators.mjs';
import { Random } from '../crash/random.mjs';
import { Workspace } from '../crash/workspace.mjs';
import { check } from './checks.mjs';
import { Ledger } from './ledger.mjs';
import { mergeOnce } from './merge.mjs';
import { dripping, failing, healthy, resetting, stalling } from './manners.mjs';
import { Receiver } from './receiver.mjs';
import { readState, settled } from './state.mjs';
import {
  CLUSTER_STRIKES,
  FAILOVER_STRIKES,
  POOLER_STRIKES,
  REDIS_STRIKES,
  STRIKES,
} from './strikes.mjs';
import { Writers } from './writers.mjs';

const QUICK_MS = 25;
/** Long enough for deliveries to pile up beside those under way. */
const LEISURELY_MS = 300;
const BAD = ['healthy', 'failing', 'resetting', 'stalling', 'dripping'];

/** Faults, one after the other, on one service. */
export class Campaign {
  #ledger = new Ledger();
  /** By name. */
  #receivers = {};
  /** By the id of their hook. */
  #byHook = new Map();
  #rig;
  #doneUnanswered = 0;

  /**
   * @param sizes how many deliveries and writes a fault comes amid, and how often it comes
   * @param redis, cluster, pooler those of the script's own, if there are any
   * @param together whether a fault may come before the one before it is overcome
   */
  constructor({ seed, ...surroundings }) {
    Object.assign(this, surroundings);
    this.random = new Random(seed);
  }

  /** @returns what is wrong; the faults end with the first after which something is */
  async run(faults) {
    await this.#prepare();
    for (const name of faults) {
      await this.#strike(name);
      const problems = this.together ? [] : await this.#overcome();
      if (problems.length > 0) return problems;
    }
    const problems = await this.#overcome();
    this.#summarize();
    return [...problems, ...(await this.service.stop())];
  }

  async #prepare() {
    const { service, random, scratch } = this;
    const few = this.sizes.slow;
    const manners = {
      project: healthy(random.fork('project'), LEISURELY_MS),
      system: healthy(random.fork('system'), LEISURELY_MS),
      healthy: healthy(random.fork('healthy'), QUICK_MS),
      failing: failing(random.fork('failing')),
      resetting: resetting(random.fork('resetting')),
      stalling: stalling(few),
      dripping: dripping(few),
    };
    for (const [name, manner] of Object.entries(manners)) await this.#receive(name, manner);
    await service.start();
    const workspace = new Workspace(path.join(scratch.folder, 'client'), 'client');
    await workspace.create();
    // Before there are hooks, which would deliver it.
    await mergeOnce(service);
    const project = await this.#project('told', ['project']);
    const badProject = await this.#project('badly-told', BAD);
    await this.#hook('/hooks', 'system', { push_events: true });
    const ledger = this.#ledger;
    const writers = new Writers({ service, ledger, workspace, random: random.fork('writers') });
    const { redis, cluster, pooler, sizes } = this;
    const receivers = this.#receivers;
    const stores = { redis, cluster, pooler };
    this.#rig = { service, ...stores, sizes, ledger, receivers, writers, project, badProject };
  }

  async #receive(name, manner) {
    const receiver = new Receiver(name, manner);
    this.scratch.defer(() => receiver.stop());
    await receiver.start();
    this.#receivers[name] = receiver;
  }

  /** @param receivers names of those that hooks of the project deliver to */
  async #project(name, receivers) {
    const { id, path: place } = await this.#create('/projects', { name });
    const flags = { issues_events: true, push_events: true };
    for (const each of receivers) await this.#hook(`/projects/${id}/hooks`, each, flags);
    return { id, path: place, receivers };
  }

  async #hook(address, name, flags) {
    const receiver = this.#receivers[name];
    const { id } = await this.#create(address, { url: receiver.url, ...flags });
    this.#byHook.set(id, receiver);
  }

  async #create(address, body) {
    const answer = await call('POST', `${this.service.url}/api/v3${address}`, body);
    if (answer?.status !== 200) throw new Error(`${address} answers ${JSON.stringify(answer)}`);
    return answer.body;
  }

  async #strike(name) {
    const begun = performance.now();
    const before = this.#ledger.acknowledged;
    const rig = { ...this.#rig, random: this.random.fork(name) };
    const strikes = {
      ...STRIKES,
      ...REDIS_STRIKES,
      ...FAILOVER_STRIKES,
      ...CLUSTER_STRIKES,
      ...POOLER_STRIKES,
    };
    const hits = await strikes[name](rig);
    const acknowledged = this.#ledger.acknowledged - before;
    this.log(`${name}: ${hits}; ${acknowledged} writes in ${seconds(begun)}`);
  }

  /** Waits for what is to come and checks everything. */
  async #overcome() {
    const begun = performance.now();
    const repeats = this.#repeats();
    await settled(this.service, this.sizes.settleMs);
    this.log(`  all at rest after ${seconds(begun)} more, ${this.#repeats() - repeats} repeats`);
    const state = await readState(this.service);
    this.#doneUnanswered = this.#ledger.doneUnanswered(state.written);
    return check(state, this.#ledger, this.#byHook);
  }

  /** Requests that came once more. */
  #repeats() {
    return this.#sum(({ requests, messages }) => requests - messages.size);
  }

  #sum(of) {
    return Object.values(this.#receivers).reduce((sum, receiver) => sum + of(receiver), 0);
  }

  #summarize() {
    const { acknowledged, unanswered } = this.#ledger;
    const messages = this.#sum((receiver) => receiver.messages.size);
    this.log(
      `${acknowledged} writes acknowledged, ${unanswered} left open, of which ` +
        `${this.#doneUnanswered} were done; ` +
        `${messages} deliveries, ${this.#repeats()} requests repeated`,
    );
  }
}

const seconds = (begun) => `${((performance.now() - begun) / 1000).toFixed(1)} s`;
