// Three machines under load, of which every now and then something is killed or cut off.
//
//   node test/machines/campaign.mjs [--minutes 10] [--seed TEXT] [--strikes NAME,NAME]
//   node test/machines/campaign.mjs --figures storage | reads | deliveries
//
// The machines are namespaces of the kernel: it needs root, and GlusterFS, Redis, haproxy and iproute2 of the distribution.
// It checks that nothing acknowledged is lost or there twice, no caller reads less than they have written, every hook is
// delivered, every copy of the repositories is whole, and that requests fail only within 30 s after a fault. --figures
// compares the shared storage with a local disk, or two machines with one, instead.
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { call } from '../crash/creators.mjs';
import { Random } from '../crash/random.mjs';
import { Scratch } from '../crash/scratch.mjs';
import { Workspace } from '../crash/workspace.mjs';
import { healthy } from '../faults/manners.mjs';
import { Receiver } from '../faults/receiver.mjs';
import { Writers } from '../faults/writers.mjs';
import { checkSite } from './checks.mjs';
import { Clients } from './clients.mjs';
import { deliveryFigures, readFigures, storageFigures } from './figures.mjs';
import { SiteLedger } from './ledger.mjs';
import { OWN_HOST, runInside } from './network.mjs';
import { Site } from './site.mjs';
import { STRIKES } from './strikes.mjs';

const EVERY_MS = 20_000;
/** After so many faults there is a rest, in which nothing may fail any more from 30 s on. */
const BETWEEN_RESTS = 4;
const REST_MS = 45_000;
const WHOLE_MS = 120_000;
const WRITERS_PAUSE_MS = 2_000;
const RECEIVER_MS = 100;
const MOST_PROBLEMS = 40;
/** Reasons why a push may be refused after a fault. */
const EXCUSES = [
  'Try again in a minute.',
  'Try again later.',
  'failed to update ref',
  'pre-receive hook declined',
  'unpacker error',
];

const { values: options } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    strikes: { type: 'string', default: Object.keys(STRIKES).join() },
    figures: { type: 'string' },
    inside: { type: 'boolean', default: false },
  },
});
const minutes = Number(options.minutes);
if (!(minutes > 0)) throw new Error('--minutes takes a number above 0');
const names = options.strikes.split(',');
const unknown = names.filter((name) => !(name in STRIKES));
if (unknown.length > 0) throw new Error(`--strikes takes ${Object.keys(STRIKES).join()}`);

const FIGURES = { storage: storageFigures, reads: readFigures, deliveries: deliveryFigures };
const measure = FIGURES[options.figures];
if (options.figures !== undefined && measure === undefined) {
  throw new Error(`--figures takes ${Object.keys(FIGURES).join()}`);
}

class Campaign {
  #ledger = new SiteLedger();
  #receivers = new Map();
  #isOver = false;

  constructor({ site, scratch, seed }) {
    Object.assign(this, { site, scratch, random: new Random(seed) });
  }

  /** @returns what is wrong */
  async run() {
    const { site, random } = this;
    const ledger = this.#ledger;
    const told = await this.#project('told', 'project', { issues_events: true, push_events: true });
    const code = await this.#project('code', 'merges', {
      push_events: false,
      merge_requests_events: true,
    });
    await this.#hook('/hooks', 'system', { push_events: false });
    const folder = path.join(this.scratch.folder, 'clients');
    const workspace = new Workspace(path.join(folder, 'pushes'), 'client');
    await workspace.create();
    const writers = new Writers({
      ...{ service: site, ledger, workspace, random: random.fork('writers') },
      ...{ pauseMs: WRITERS_PAUSE_MS, pushReceivers: ['project'], excuses: EXCUSES },
    });
    const clients = new Clients({ site, ledger, project: code, folder, random });
    const isOver = () => this.#isOver;
    const work = Promise.all([writers.mixedUntil(isOver, told), clients.workUntil(isOver)]);
    await Promise.race([work, this.#strikeUntil(performance.now() + minutes * 60_000)]);
    this.#isOver = true;
    await work;
    await this.#untilWhole();
    const problems = await checkSite({
      ...this,
      ledger,
      receivers: this.#receivers,
      project: code,
    });
    for (const line of ledger.describe()) console.log(line);
    return [...problems, ...(await site.stop())];
  }

  /** Strikes until the end, of which there is a rest before the end, too. */
  async #strikeUntil(end) {
    await delay(EVERY_MS / 2);
    for (let count = 1; performance.now() < end - REST_MS; count += 1) {
      const begun = performance.now();
      await this.#strike(this.#next(count));
      const isRest = count % BETWEEN_RESTS === 0;
      const rest = begun + (isRest ? REST_MS : EVERY_MS) - performance.now();
      await delay(Math.max(0, rest));
    }
    await delay(Math.max(0, end - performance.now()));
  }

  /** Each comes once before the first comes again. */
  #next(count) {
    const round = Math.floor((count - 1) / names.length);
    const random = this.random.fork(`round ${round}`);
    const shuffled = names.map((name) => [random.next(), name]).sort(([a], [b]) => a - b);
    return shuffled[(count - 1) % names.length][1];
  }

  async #strike(name) {
    const begun = performance.now();
    this.#ledger.strike(name);
    const struck = await STRIKES[name]({ site: this.site, random: this.random });
    console.log(`${name} (${struck}): back after ${secondsSince(begun)} s`);
    await this.#untilWhole();
    console.log(`  whole after ${secondsSince(begun)} s`);
  }

  async #untilWhole() {
    const { volume, redis } = this.site;
    await volume.untilWhole(WHOLE_MS);
    await redis.untilSafe();
  }

  /** @param receiver the name of the one that a hook of the project delivers to */
  async #project(name, receiver, flags) {
    const { id, path: own } = await this.#create('/projects', { name });
    await this.#hook(`/projects/${id}/hooks`, receiver, flags);
    const file = {
      file_path: 'first',
      branch_name: 'master',
      content: '',
      commit_message: 'First',
    };
    if (name === 'code') await this.#create(`/projects/${id}/repository/files`, file);
    return { id, path: own, receivers: [receiver] };
  }

  async #hook(address, name, flags) {
    const manner = healthy(this.random.fork(name), RECEIVER_MS);
    const receiver = new Receiver(name, manner, OWN_HOST);
    this.scratch.defer(() => receiver.stop());
    await receiver.start();
    const { id } = await this.#create(address, { url: receiver.url, ...flags });
    this.#receivers.set(id, receiver);
  }

  async #create(address, body) {
    const answer = await call('POST', `${this.site.url}/api/v3${address}`, body);
    if (answer?.status !== 200) throw new Error(`${address} answers ${JSON.stringify(answer)}`);
    return answer.body;
  }
}

const secondsSince = (begun) => ((performance.now() - begun) / 1_000).toFixed(1);

async function runAll() {
  const begun = performance.now();
  const scratch = await Scratch.open('trellis-machines-');
  const { seed } = options;
  await scratch.judge(
    async () => {
      const site = await Site.start(scratch);
      console.log(`three machines after ${secondsSince(begun)} s`);
      if (measure === undefined) return new Campaign({ site, scratch, seed }).run();
      await measure({ site, scratch });
      return site.stop();
    },
    {
      seed,
      success:
        measure === undefined
          ? 'Nothing acknowledged was lost, stale or there twice, and every event arrived.'
          : 'Measured.',
      most: MOST_PROBLEMS,
    },
  );
}

if (options.inside) {
  await runAll();
  process.exit();
}
const task = options.figures === undefined ? `${minutes} minutes` : `figures of ${options.figures}`;
console.log(`${task} with --seed ${options.seed}`);
const figures = measure === undefined ? [] : ['--figures', options.figures];
const all = [
  ...figures,
  '--minutes',
  options.minutes,
  '--seed',
  options.seed,
  '--strikes',
  options.strikes,
];
process.exitCode = await runInside(fileURLToPath(import.meta.url), all);
