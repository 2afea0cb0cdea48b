// Plays attacks that use up a server against the built service, while another user goes on working, and
// checks that nobody is silenced, that memory stays within bounds and that attackers are answered clearly.
//
//   node test/hostile/campaign.mjs [--list] [--only NAME,NAME] [--rounds 2] [--seed TEXT] [--loaded]
//                                  [--patience SECONDS] [--baseline SECONDS] [--bail] [--apart] [--mixed]
//
// The first round plays every attack as it was found; each further one plays a variation that the seed
// chooses. With --mixed the seed also chooses, in every round, which attacks are varied. --only takes names,
// or beginnings of names with a * behind them. A service that is not itself again after --patience is killed
// and started anew. --loaded loosens the goals for a machine that does other work: by what the probe measures
// without attack, and by the time the api waited for a core. --bail ends with the first attack that is not
// held off. The service is one process, as `npm start` runs it, with
// --apart an api and a worker.
//
// Columns: the longest silence that the probe met, over connections that it keeps or opens for each request,
// and of it the time in which the probe itself did not run (stall) and the api had no core; the worse 99th
// percentile of /healthz; the peaks of the resident memory of the api process and of all processes it has
// started, in MB, and how many these were.
import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { Progress } from '../../bench/progress.mjs';
import { Random } from '../crash/random.mjs';
import { Scratch } from '../crash/scratch.mjs';
import { ATTACKS } from './attacks/index.mjs';
import { Match } from './match.mjs';
import { figures, GOALS, header, loosened, misses, row } from './report.mjs';
import { Stage } from './stage.mjs';

const { values: options } = parseArgs({
  options: {
    list: { type: 'boolean', default: false },
    only: { type: 'string' },
    rounds: { type: 'string', default: '2' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    loaded: { type: 'boolean', default: false },
    apart: { type: 'boolean', default: false },
    mixed: { type: 'boolean', default: false },
    bail: { type: 'boolean', default: false },
    patience: { type: 'string', default: '90' },
    baseline: { type: 'string', default: '10' },
  },
});

function whole(name) {
  const number = Number(options[name]);
  if (!Number.isSafeInteger(number) || number < 1) {
    throw new Error(`--${name} takes a number from 1`);
  }
  return number;
}

/** Other work may begin after the baseline. */
const LOADED_SILENCE_MS = 1_000;
const GRACE_MS = options.loaded ? 20_000 : 4_000;
const [rounds, patienceMs] = [whole('rounds'), whole('patience') * 1_000];
const baselineMs = whole('baseline') * 1_000;
const attacks = chosen(options.only?.split(','));

function chosen(patterns) {
  if (patterns === undefined) return ATTACKS;
  const fits = (pattern, { name }) =>
    pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern;
  const unknown = patterns.filter((pattern) => !ATTACKS.some((attack) => fits(pattern, attack)));
  if (unknown.length > 0) throw new Error(`No attack is called ${unknown.join(', ')}; see --list`);
  return ATTACKS.filter((attack) => patterns.some((pattern) => fits(pattern, attack)));
}

function list() {
  for (const { name, about } of attacks) console.log(`${name.padEnd(34)}${about}`);
}

async function runAll() {
  const progress = new Progress();
  progress.step('starting the service');
  const stage = await Stage.open(scratch, { isApart: options.apart });
  let current = '';
  const match = new Match({
    stage,
    patienceMs,
    graceMs: GRACE_MS,
    progress: (detail) => progress.step(current, detail),
  });
  progress.step('measuring without attack');
  const baseline = figures(await match.baseline(baselineMs));
  match.usualSilenceMs = Math.max(baseline.silence.ms, options.loaded ? LOADED_SILENCE_MS : 0);
  const goals = options.loaded ? loosened(baseline) : GOALS;
  progress.done();
  console.log(
    `Load ${loadavg()
      .map((load) => load.toFixed(1))
      .join(' ')}; goals: ${shown(goals)}`,
  );
  console.log(header());
  console.log(row({ name: 'no attack', figures: baseline, answers: [], missed: [] }));

  const problems = [];
  const total = rounds * attacks.length;
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, attack] of attacks.entries()) {
      const seed = `${options.seed}/${attack.name}/${round}`;
      const random = new Random(seed);
      const isVaried = options.mixed ? random.chance(0.5) : round > 0;
      const params = isVaried ? attack.vary(random) : attack.sample;
      const name = round === 0 ? attack.name : `${attack.name} ${round}`;
      current = `${bar(round * attacks.length + index, total)} ${name}`;
      const played = await match.play(attack, params, seed);
      const result = { name, ...played, figures: figures(played) };
      const missed = misses(result, goals, options.loaded);
      progress.done();
      console.log(row({ ...result, missed }));
      if (isVaried) console.log(`    with ${JSON.stringify(params)}`);
      if (missed.length > 0) problems.push(`${name}: ${missed.join('; ')}`);
      if (options.bail && missed.length > 0) return problems;
    }
  }
  console.log(`${total - problems.length} of ${total} attacks held off`);
  return problems;
}

function bar(done, total) {
  const width = 20;
  const filled = Math.round((done / total) * width);
  return `[${'#'.repeat(filled)}${'.'.repeat(width - filled)}] ${done}/${total}`;
}

function shown({ silenceMs, p99Ms, apiMb, gitMb }) {
  const [silence, p99] = [silenceMs, p99Ms].map((ms) => ms.toFixed(0));
  return `silence ${silence} ms, p99 ${p99} ms, api ${apiMb} MB, git ${gitMb} MB`;
}

let scratch;
if (options.list) {
  list();
} else {
  scratch = await Scratch.open('trellis-hostile-');
  console.log(`${attacks.length} attacks, ${rounds} rounds with --seed ${options.seed}`);
  await scratch.judge(runAll, {
    seed: options.seed,
    success: 'No attack disturbed the other user.',
  });
}
