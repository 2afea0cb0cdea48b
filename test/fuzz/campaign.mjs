// Holds conversations with the built service that a seed has made, while another user works: requests over HTTP, git's
// protocols over HTTP and SSH, messages over SSH, and answers of receivers, well-formed and with mutations.
//
//   node test/fuzz/campaign.mjs [--list] [--only GROUP[:FIRST[-LAST]],...] [--seed TEXT] [--percent 100] [--loaded]
//
// A conversation depends on the seed, its group and its number alone: `--seed 5 --only http:17` holds that one again.
// --percent is how much of the long form is held. --loaded loosens the goals, as in the campaign of attacks.
//
// Wrong are a status of 5xx other than 503 with a text, a refusal without a text, an error that the service logs, a well-formed
// conversation without an answer, a connection that stays open behind the client's end, a service that has ended, goals that the
// probe misses, what the service still holds afterwards, and whatever an ordinary user cannot do any more.
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Progress } from '../../bench/progress.mjs';
import { Random } from '../crash/random.mjs';
import { Scratch } from '../crash/scratch.mjs';
import { Match, Probe } from '../hostile/match.mjs';
import { defectsIn, figures, GOALS, header, loosened, misses, row } from '../hostile/report.mjs';
import { Stage } from '../hostile/stage.mjs';
import { World } from '../hostile/world.mjs';
import { AT_ONCE, GROUPS, makeMaterial } from './groups.mjs';
import { HealthyUser } from './healthy.mjs';
import { holdings, leftOf } from './leftovers.mjs';
import { wrongIn } from './responses.mjs';

const { values: options } = parseArgs({
  options: {
    list: { type: 'boolean', default: false },
    only: { type: 'string' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    percent: { type: 'string', default: '100' },
    loaded: { type: 'boolean', default: false },
  },
});

const BASELINE_MS = 3_000;
/** What the first requests of a probe cost says nothing. */
const WARM_UP_MS = 500;
/** Lines of a log are written together within 50 ms. */
const LOGGED_MS = 100;
const SHOWN_BYTES = 600;

/** The groups with the numbers of their conversations. */
function chosen() {
  const share = Number(options.percent) / 100;
  if (!(share > 0)) throw new Error('--percent takes a number above 0');
  if (options.only === undefined) {
    return GROUPS.map((group) => ({ group, first: 0, last: Math.ceil(group.count * share) - 1 }));
  }
  return options.only.split(',').map((text) => {
    const [, name, first, last] = /^([a-z-]+)(?::(\d+)(?:-(\d+))?)?$/.exec(text) ?? [];
    const group = GROUPS.find((each) => each.name === name);
    if (group === undefined) throw new Error(`No group is called ${text}; see --list`);
    if (first === undefined) return { group, first: 0, last: Math.ceil(group.count * share) - 1 };
    return { group, first: Number(first), last: Number(last ?? first) };
  });
}

class Fuzzer {
  problems = [];

  /** @param tools `stage`, `material`, `scratch` */
  constructor(tools) {
    Object.assign(this, tools);
  }

  /** Holds conversations of a group, a few at once. */
  async hold({ group, first, last }) {
    for (let from = first; from <= last && this.stage.isRunning; from += AT_ONCE) {
      const count = Math.min(AT_ONCE, last - from + 1);
      const numbers = Array.from({ length: count }, (_, index) => from + index);
      const defects = await this.#together(group, numbers);
      if (defects.length > 0) await this.#narrow(group, numbers, defects);
    }
  }

  /** @returns what the service has logged meanwhile, or that it has ended */
  async #together(group, numbers) {
    const { service } = this.stage;
    const { bytes } = await service.logLines();
    await Promise.all(numbers.map((number, lane) => this.#play(group, number, lane)));
    await delay(LOGGED_MS);
    const { lines } = await service.logLines(bytes);
    return [...defectsIn(lines), ...service.ended().map((role) => `the ${role} has ended`)];
  }

  async #play(group, number, lane) {
    const conversation = this.#make(group, number);
    const { received, wrong } = await group
      .play(this.material, conversation, lane)
      .catch((error) => ({ received: '', wrong: error.stack }));
    const found = wrong ?? wrongIn(received);
    if (found !== undefined)
      await this.#record(group, [number], `${found}\n  ${excerpt(received)}`);
  }

  #make(group, number) {
    return group.make(new Random(`${options.seed}/${group.name}/${number}`), this.material);
  }

  /** Holds the conversations of a batch one by one, to find the one that makes the service log an error. */
  async #narrow(group, numbers, defects) {
    const guilty = [];
    for (const number of numbers) {
      if (!this.stage.isRunning) break;
      if ((await this.#together(group, [number])).length > 0) guilty.push(number);
    }
    await this.#record(group, guilty.length > 0 ? guilty : numbers, defects.join('\n  '));
  }

  /** Notes what is wrong, with what was sent. */
  async #record(group, numbers, what) {
    const names = [];
    for (const number of numbers) {
      const conversation = this.#make(group, number);
      const file = path.join(this.scratch.folder, `${group.name}-${number}.json`);
      const bytes = Buffer.concat(conversation.pieces.map((piece) => piece.bytes ?? piece));
      await writeFile(file, JSON.stringify(conversation));
      names.push(`--only ${group.name}:${number}\n  sent ${excerpt(bytes.toString('latin1'))}`);
    }
    this.problems.push(`--seed ${options.seed} ${names.join('\n  or ')}\n  ${what}`);
  }
}

/** The beginning of bytes, and how many there are. */
function excerpt(text) {
  const shown = JSON.stringify(text.slice(0, SHOWN_BYTES));
  return text.length > SHOWN_BYTES ? `${shown}… ${text.length} bytes` : shown;
}

async function runAll() {
  const progress = new Progress();
  progress.step('starting the service');
  const temporary = path.join(scratch.folder, 'temporary');
  await mkdir(temporary);
  const environment = { TMPDIR: temporary, WEBHOOK_RETRY_SECONDS: '1' };
  const stage = await Stage.open(scratch, { environment });
  const world = new World(stage.setup, new Random(options.seed));
  const privateKey = await world.sshKey();
  const material = await makeMaterial(world, privateKey);
  const healthy = await new HealthyUser(world, stage.sshPort, privateKey).open();
  scratch.defer(() => [healthy, ...material.receivers].forEach((each) => each.close()));
  const problems = await healthy.findProblems();
  const match = new Match({ stage });
  const baseline = figures(await match.baseline(BASELINE_MS));
  const goals = options.loaded ? loosened(baseline) : GOALS;
  const before = await holdings(stage, temporary);

  console.log(header());
  console.log(row({ name: 'no conversation', figures: baseline, answers: [], missed: [] }));
  const fuzzer = new Fuzzer({ stage, material, scratch });
  for (const part of chosen()) {
    const { group, first, last } = part;
    progress.step(`${group.name}: ${last - first + 1} conversations`);
    const probe = await Probe.start(stage.probed);
    await delay(WARM_UP_MS);
    await probe.reset();
    let measured;
    try {
      await fuzzer.hold(part);
      await probe.lasts(BASELINE_MS);
    } finally {
      measured = { answers: [], figures: figures(await probe.end()) };
    }
    const missed = misses(measured, goals, options.loaded);
    console.log(row({ name: group.name, ...measured, missed }));
    problems.push(...missed.map((text) => `${group.name}: ${text}`));
    if (!stage.isRunning) break;
  }
  progress.step('comparing');
  problems.push(...fuzzer.problems);
  if (!stage.isRunning) return [...problems, 'the service has ended'];
  problems.push(...(await healthy.findProblems()));
  const left = await leftOf(stage, temporary, before);
  return [...problems, ...left.map((text) => `left behind: ${text}`)];
}

let scratch;
if (options.list) {
  for (const { name, about, count } of GROUPS)
    console.log(`${name.padEnd(12)}${String(count).padStart(6)}  ${about}`);
} else {
  scratch = await Scratch.open('trellis-fuzz-');
  console.log(`Conversations with --seed ${options.seed}`);
  await scratch.judge(runAll, {
    seed: options.seed,
    success: 'No conversation disturbed the service.',
    most: 30,
  });
  // Connections of clients that were cut off may still be open.
  process.exit();
}
