// Clients that cause events. One that is left unanswered goes on with something else: what has
// become of the write is seen later.
import { setTimeout as delay } from 'node:timers/promises';
import { call } from '../crash/creators.mjs';
import { until } from '../crash/processes.mjs';
import { branchPushed, groupMade, issueOpened } from './events.mjs';

const WRITERS = 6;
const GROUPS_AMONG_WRITES = 0.08;
const PAUSE_AT_LEISURE_MS = 50;
const PAUSE_UNANSWERED_MS = 300;
const BACK_MS = 120_000;
/** Why a push may be refused: the service that is asked about it has gone. */
const UNCHECKED = 'nothing was changed.';

/** @param receivers the names of those that are told of the project's issues */
const issueTells = (title, receivers) =>
  Object.fromEntries(receivers.map((name) => [name, [issueOpened(title)]]));

export class Writers {
  #names = 0;
  /** Requests that wait for their answer. */
  open = 0;

  /**
   * @param options.pauseMs for which each writer rests between its writes
   * @param options.pushReceivers the names of the receivers that pushes are delivered to
   * @param options.excuses beginnings of further reasons why a push may be refused
   */
  constructor({ service, ledger, random, workspace, ...options }) {
    const { pauseMs = 0, pushReceivers = ['project', 'system'], excuses = [] } = options;
    Object.assign(this, { service, ledger, random, workspace, pauseMs, pushReceivers });
    this.excuses = [UNCHECKED, ...excuses];
  }

  /** Writes issues and groups and pushes branches until so many writes were acknowledged. */
  mixed(project, count) {
    return this.mixedUntil(this.#goal(count), project);
  }

  /** @param isOver ends them */
  async mixedUntil(isOver, project) {
    const write = () =>
      this.random.chance(GROUPS_AMONG_WRITES) ? this.#group() : this.#issue(project);
    const writers = Array.from({ length: WRITERS }, () => this.#until(isOver, write));
    await Promise.all([...writers, this.#until(isOver, () => this.#push(project))]);
  }

  /** Writes issues at leisure, so that deliveries wait for nothing but each other. */
  async issues(project, count) {
    await this.#until(this.#goal(count), async () => {
      await delay(PAUSE_AT_LEISURE_MS);
      return this.#issue(project);
    });
  }

  #goal(count) {
    const goal = this.ledger.acknowledged + count;
    return () => this.ledger.acknowledged + this.open >= goal;
  }

  /** @param write answers whether it was acknowledged */
  async #until(isOver, write) {
    while (!isOver()) {
      if (this.pauseMs > 0) await delay(this.pauseMs);
      this.open += 1;
      const isAcknowledged = await write().finally(() => (this.open -= 1));
      if (!isAcknowledged) await this.#untilServed();
    }
  }

  /** What was left open counts; what nobody can even have heard of would not. */
  async #untilServed() {
    await delay(PAUSE_UNANSWERED_MS);
    const isServed = async () => (await fetch(`${this.service.url}/healthz`)).ok;
    await until(() => isServed().catch(() => false), BACK_MS, PAUSE_UNANSWERED_MS);
  }

  #issue({ id, receivers }) {
    const title = this.#name('issue');
    const write = this.ledger.begin(`issue ${title}`, issueTells(title, receivers));
    return this.#post(`/projects/${id}/issues`, { title }, write);
  }

  #group() {
    const path = this.#name('group');
    const write = this.ledger.begin(`group ${path}`, { system: groupMade(path) });
    return this.#post('/groups', { name: path, path }, write);
  }

  async #post(path, body, write) {
    const answer = await call('POST', `${this.service.url}/api/v3${path}`, body);
    if (answer?.status === 200) {
      this.ledger.acknowledge(write, answer.body);
      return true;
    }
    this.ledger.leave(write, answer);
    if (answer !== null && answer.status < 500) {
      this.ledger.problems.push(
        `${write.name} is answered ${answer.status} ${JSON.stringify(answer.body)}`,
      );
    }
    return false;
  }

  async #push({ path }) {
    const branch = this.#name('branch');
    const commit = await this.workspace.commit(null, Buffer.from(branch));
    const event = branchPushed(branch);
    const tells = Object.fromEntries(this.pushReceivers.map((name) => [name, [event]]));
    const write = this.ledger.begin(`branch ${branch}`, tells);
    const url = `${this.service.url}/root/${path}.git`;
    const ref = `refs/heads/${branch}`;
    const { code, answers, stderr } = await this.workspace.push(url, [`${commit}:${ref}`]);
    const answer = answers.get(ref);
    if (code === 0 && answer === 'done') {
      this.ledger.acknowledge(write);
      return true;
    }
    this.ledger.leave(write, answer ?? stderr);
    const isExcused = () => this.excuses.some((excuse) => answer.includes(excuse));
    if (typeof answer === 'string' && !isExcused()) {
      this.ledger.problems.push(`${write.name} is refused: ${answer}`);
    }
    return false;
  }

  #name(kind) {
    this.#names += 1;
    return `${kind}-${this.#names}`;
  }
}
