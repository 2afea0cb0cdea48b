// One attack in a process of its own, which can be ended together with all its git processes.
//
// The parent process sends `prepare` with the attack and what it has at hand, then `run` with the
// address and the time limit; this process answers `prepared` and `ended`, or `failed`.
import { writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import { Random } from '../crash/random.mjs';
import { ATTACKS } from './attacks/index.mjs';
import { Refused, World } from './world.mjs';

/** Whose cores these are: the attackers of real life have their own. */
const NICENESS = 10;
/** For requests that were cut off to be noted. */
const NOTING_MS = 2_000;

lowerPriority();

let attack;
let world;
let state;
let params;

process.on('message', (message) => {
  const step = message.type === 'prepare' ? prepare(message) : run(message);
  step.catch((error) => {
    const { name, stack } = error;
    const refusal = error instanceof Refused ? error.message : undefined;
    process.send({ type: 'failed', name, stack, refusal });
  });
});
process.on('disconnect', () => process.exit());

async function prepare({ name, seed, setup, params: given }) {
  attack = ATTACKS.find((each) => each.name === name);
  params = given;
  world = new World(setup, new Random(seed));
  state = await attack.prepare?.(world, params);
  process.send({ type: 'prepared' });
}

/** @param limitMs after which nothing new is begun; @param graceMs for answers that are still to come */
async function run({ url, limitMs, graceMs }) {
  world.url = url;
  await world.limit({ limitMs, graceMs, notingMs: NOTING_MS }, () =>
    attack.run(world, params, state),
  );
  process.send({ type: 'ended', answers: [...world.answers] });
}

function lowerPriority() {
  setPriority(NICENESS);
  try {
    // Where Linux schedules sessions as groups, the niceness applies within a session only, and this process has its own.
    writeFileSync('/proc/self/autogroup', String(NICENESS));
  } catch (error) {
    // Only root may change more than ten groups a second.
    if (!['ENOENT', 'EAGAIN'].includes(error.code)) throw error;
  }
}
