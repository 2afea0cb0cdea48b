// Kills the service in the middle of pushes and project creations, round after round, and checks
// after each start that nothing acknowledged is lost and nothing half-made is left.
//
//   node test/crash/rounds.mjs --rounds 50 [--seed TEXT] [--redis redis://HOST:PORT] [--apart]
//                              [--containers]
//
// --apart runs api and worker as processes of their own. --containers sometimes kills git together
// with the service, as when a container is killed; git outlives a service that is killed alone.
import { parseArgs } from 'node:util';
import { Campaign } from './campaign.mjs';
import { built, ownDatabase } from './own-database.mjs';
import { Scratch } from './scratch.mjs';
import { Service } from './service.mjs';

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '50' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    redis: { type: 'string' },
    apart: { type: 'boolean', default: false },
    containers: { type: 'boolean', default: false },
  },
});
const rounds = Number(options.rounds);
if (!Number.isSafeInteger(rounds) || rounds < 1) throw new Error('--rounds takes a number from 1');

const scratch = await Scratch.open('trellis-crash-');
const { folder } = scratch;

async function runAll() {
  const database = options.apart ? await ownDatabase(scratch) : undefined;
  const service = new Service({
    main: built('main.js'),
    folder,
    redisUrl: options.redis,
    database,
  });
  scratch.defer(() => service.destroy());
  const { seed, containers } = options;
  return new Campaign({ service, folder, seed, containers, log: console.log }).run(rounds);
}

console.log(`${rounds} rounds with --seed ${options.seed}`);
await scratch.judge(runAll, {
  seed: options.seed,
  success: 'Nothing acknowledged was lost and nothing half-made was left.',
});
