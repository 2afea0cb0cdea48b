import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { checkAll, checkDrained } from './checks.mjs';
import { call, Creator } from './creators.mjs';
import { installAudit, untilIntent } from './database.mjs';
import { KillDelays } from './delays.mjs';
import { Ledger } from './ledger.mjs';
import { isRunning, kill } from './processes.mjs';
import { Pusher } from './pushers.mjs';
import { Random } from './random.mjs';
import { findRepositories, isTidied } from './repositories.mjs';
import { Reviewer } from './reviewers.mjs';
import { Workspace } from './workspace.mjs';

const PUSHERS = 4;
const CREATORS = 2;
const PERMANENT_PROJECTS = 2;
/** Of the projects that were made since, those that clients go on pushing to. */
const RECENT_PROJECTS = 2;
const MOST_PUSHES_BEFORE = 20;
const BEGIN_LIMIT_MS = 30_000;
const INTENT_WAIT_MS = 3_000;

/** What dies, and how often it is chosen. */
const VICTIMS = [
  // The service alone: git and PostgreSQL outlive it.
  ['service', 5],
  ['service and database', 2],
  ['database', 1],
];
const VICTIMS_APART = [
  ['api', 5],
  ['worker', 2],
  ['both', 2],
  ['database', 1],
];
/** All processes of the service with the git processes they have started. */
const CONTAINER = ['container', 3];

/** A number of rounds on one service. */
export class Campaign {
  #ledger = new Ledger();
  #delays = new KillDelays();
  /** Projects that may be pushed to. */
  #projects = [];
  #clients = [];
  #reviewer;
  #counts = { kills: 0, amid: 0, settled: 0 };

  /** @param containers whether git is sometimes killed together with the service */
  constructor({ service, folder, seed, containers, log }) {
    Object.assign(this, { service, folder, containers, log });
    this.random = new Random(seed);
    const victims = service.database ? VICTIMS_APART : VICTIMS;
    this.victims = containers ? [...victims, CONTAINER] : victims;
  }

  /** @returns what is wrong; the rounds end with the first thing that is */
  async run(rounds) {
    await this.#prepare();
    for (let round = 1; round <= rounds; round += 1) {
      const problems = await this.#round(round);
      if (problems.length > 0) return problems;
    }
    const problems = await this.#finish();
    this.#summarize();
    return problems;
  }

  async #prepare() {
    await this.service.start();
    await installAudit(this.service);
    for (let index = 0; index < PUSHERS; index += 1) {
      const name = `client-${index}`;
      const workspace = new Workspace(path.join(this.folder, name), name);
      await workspace.create();
      const random = this.random.fork(name);
      const options = { workspace, ledger: this.#ledger, random, owner: index === 0 };
      this.#clients.push(new Pusher(options));
    }
    for (let index = 0; index < PERMANENT_PROJECTS; index += 1) {
      const name = `permanent-${index}`;
      const answer = await call('POST', `${this.service.url}/api/v3/projects`, { name });
      if (answer?.status !== 200) throw new Error(`No project can be made: ${answer?.status}`);
      const { id } = answer.body;
      this.#ledger.creations.set(name, { state: 'there', id });
      this.#projects.push({ id, path: answer.body.path });
    }
    const reviewer = {
      name: 'reviewed',
      ledger: this.#ledger,
      random: this.random.fork('reviewed'),
    };
    this.#reviewer = new Reviewer(reviewer);
    await this.#reviewer.prepare(this.service.url);
  }

  async #round(round) {
    const random = this.random.fork(`round-${round}`);
    const victim = random.weighted(this.victims);
    const ledger = this.#ledger;
    const before = {
      acknowledged: ledger.acknowledged,
      unanswered: ledger.unanswered,
      settled: await this.service.settledPushes(),
    };
    ledger.databaseLost = victim.includes('database');
    if (victim === 'database') ledger.begunTwice += CREATORS;
    const context = this.#context(round, random.integer(2, MOST_PUSHES_BEFORE));
    const work = this.#startClients(round, random, context);
    const how = await this.#strike(victim, random, context);
    context.stop();
    await work;
    const unanswered = ledger.unanswered - before.unanswered;
    await this.#comeBack(victim, random);
    const { problems, values } = await checkAll(this.service, ledger, context.touched());
    const settled = (await this.service.settledPushes()) - before.settled;
    how.learn(settled > 0);
    this.#adopt(values);
    this.#count(settled, unanswered);
    const acknowledged = ledger.acknowledged - before.acknowledged;
    this.log(
      `${String(round).padStart(3)} ${victim} ${how.name}: ${acknowledged} acknowledged, ` +
        `${unanswered} unanswered, ${settled} pushes settled, ${this.#projects.length} projects`,
    );
    problems.push(...(await this.#reviewer.check(this.service.url)));
    return [...ledger.problems, ...problems];
  }

  /** @param pushes with this one's beginning the time to the kill begins */
  #context(round, pushes) {
    const { service } = this;
    let stopped = false;
    let count = 0;
    let begin;
    const begun = new Promise((resolve) => {
      begin = resolve;
    });
    const projects = [
      ...this.#projects.slice(0, PERMANENT_PROJECTS),
      ...this.#projects.slice(PERMANENT_PROJECTS).slice(-RECENT_PROJECTS),
    ];
    const seen = new Set(projects.map(({ id }) => id));
    return {
      round,
      base: service.url,
      begun,
      began: () => {
        count += 1;
        if (count === pushes) begin();
      },
      stop: () => (stopped = true),
      stopped: () => stopped,
      pause: (ms) => delay(ms),
      projects: () => projects,
      touched: () => seen,
      url: ({ path: name }) => `${service.url}/root/${name}.git`,
      announce: (project) => {
        projects.push(project);
        seen.add(project.id);
        this.#projects.push(project);
      },
      withdraw: ({ id }) => {
        for (const list of [projects, this.#projects]) {
          const index = list.findIndex((project) => project.id === id);
          if (index >= 0) list.splice(index, 1);
        }
      },
    };
  }

  #startClients(round, random, context) {
    const creators = Array.from({ length: CREATORS }, (_, index) => {
      const name = `made-${round}-${index}`;
      return new Creator({ name, ledger: this.#ledger, random: random.fork(name) });
    });
    const clients = [...this.#clients, ...creators, this.#reviewer];
    const all = clients.map((client) => client.work(context));
    return Promise.all(all);
  }

  /** Kills at a chosen moment; how is told afterwards. */
  async #strike(victim, random, { begun }) {
    // Clients that get stuck are told of by what they were answered.
    await Promise.race([begun, delay(BEGIN_LIMIT_MS)]);
    let how;
    if (random.chance(0.5)) {
      const { ms, learn } = this.#delays.choose(random);
      how = { name: `after ${ms} ms`, learn };
      await delay(ms);
    } else {
      const ms = random.integer(0, 15);
      how = { name: `${ms} ms after an intent`, learn: () => undefined };
      await untilIntent(this.service, INTENT_WAIT_MS);
      await delay(ms);
    }
    await this.#kill(victim);
    return how;
  }

  async #kill(victim) {
    const { service } = this;
    const withChildren = victim === 'container';
    const roles = service.roles.filter(
      (role) => victim === role || !service.roles.includes(victim),
    );
    const postmaster = await service.postmasterPid();
    if (victim.includes('database') && postmaster !== undefined) kill(postmaster);
    if (victim === 'database') return;
    await Promise.all(roles.map((role) => service.kill(role, { withChildren })));
  }

  /** Starts the service again; sometimes it dies once more before it serves. */
  async #comeBack(victim, random) {
    const { service } = this;
    const dead = service.ended();
    if (victim === 'database' && dead.length > 0) {
      this.#ledger.problems.push(`${dead.join(', ')} ended because its database did`);
    }
    if (dead.length > 0 && random.chance(0.2)) {
      await service.launch();
      await delay(random.integer(300, 2_500));
      await Promise.all(dead.map((role) => service.kill(role)));
    }
    await service.start();
  }

  #adopt(values) {
    for (const [id, refs] of values) {
      for (const ref of this.#ledger.refsOf(id)) {
        this.#ledger.resolve(id, ref, refs.get(ref) ?? '0'.repeat(40));
      }
      for (const client of this.#clients) client.adopt({ id }, refs);
    }
  }

  #count(settled, unanswered) {
    this.#counts.kills += 1;
    if (unanswered > 0) this.#counts.amid += 1;
    if (settled > 0) this.#counts.settled += 1;
  }

  /** Everything once more when no job is left, and then the end in order. */
  async #finish() {
    const { service } = this;
    const { problems: undone, heldUp } = await checkDrained(service, this.containers);
    if (heldUp.size > 0) this.log(`Locks of a killed git hold up ${heldUp.size} housekeepings`);
    const { byId } = await findRepositories(service.dataDir);
    const all = new Set(byId.keys());
    const { problems } = await checkAll(service, this.#ledger, all);
    const untidied = [];
    for (const [id, { path: folder, packs }] of byId) {
      if (packs === 0 || heldUp.has(id) || (await isTidied(folder))) continue;
      untidied.push(`project ${id} was never tidied`);
    }
    const postmaster = await service.postmasterPid();
    const stopped = await service.stop();
    if (!service.database && postmaster !== undefined && (await isRunning(postmaster))) {
      stopped.push('PostgreSQL runs on after SIGTERM');
    }
    return [...undone, ...problems, ...untidied, ...stopped];
  }

  #summarize() {
    const { kills, amid, settled } = this.#counts;
    const { acknowledged, unanswered, creations, deletions } = this.#ledger;
    this.log(
      `${kills} kills, ${amid} amid a push, ${settled} between intent and record; ` +
        `${acknowledged} ref updates acknowledged, ${unanswered} unanswered; ` +
        `${creations.size} creations, ${deletions.size} deletions\n` +
        `${this.#reviewer.summary()}\n` +
        `Hits by delay: ${this.#delays.toString()}`,
    );
  }
}
