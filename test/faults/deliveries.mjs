// Kills, stops and empties what deliveries to hooks depend on, amid writes and deliveries, and checks
// that every committed event arrives, every repeat under the same id, and nothing else.
//
//   node test/faults/deliveries.mjs [--deliveries 1000] [--writes 500] [--strikes 3] [--seed TEXT]
//                                   [--redis | --sentinels | --cluster | --redis-url redis://HOST:PORT/DB]
//                                   [--faults NAME,NAME] [--away SECONDS] [--slow DELIVERIES] [--together]
//                                   [--standby | --pooler]
//
// --redis puts the queues into a redis-server of the script's own, which is then frozen, stopped and
// emptied, too; --sentinels and --cluster into several, whose master is lost instead; --redis-url takes
// another, which is left alone. --strikes says how often each fault
// comes, --away for how long Redis, or a lost master after it was replaced, is gone, --slow how many deliveries have to wait for an answer in
// vain. With --together the next fault does not wait until the one before is overcome.
// --standby takes a primary of PostgreSQL with a synchronous standby, kills or freezes the primary and promotes the standby; --pooler
// puts a PgBouncer in transaction mode in between, and restarts it. Neither has other faults, unless they are named.
import { parseArgs } from 'node:util';
import { built, ownDatabase } from '../crash/own-database.mjs';
import { Scratch } from '../crash/scratch.mjs';
import { Service } from '../crash/service.mjs';
import { Campaign } from './campaign.mjs';
import { OwnPooler } from './own-pooler.mjs';
import { OwnRedis } from './own-redis.mjs';
import { PostgresCluster } from './postgres-cluster.mjs';
import { RedisCluster, RedisWithSentinels } from './replicated-redis.mjs';
import {
  CLUSTER_STRIKES,
  FAILOVER_STRIKES,
  POOLER_STRIKES,
  REDIS_STRIKES,
  STRIKES,
} from './strikes.mjs';

const SETTLE_MS = 180_000;
const MOST_PROBLEMS = 40;
const ENVIRONMENT = {
  WEBHOOK_ALLOW_LOCAL: 'true',
  WEBHOOK_RETRY_SECONDS: '1,1,1,2,2,3,5,5,10,10',
};

const { values: options } = parseArgs({
  options: {
    deliveries: { type: 'string', default: '1000' },
    writes: { type: 'string', default: '500' },
    strikes: { type: 'string', default: '3' },
    slow: { type: 'string', default: '6' },
    away: { type: 'string', default: '10' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    faults: { type: 'string' },
    redis: { type: 'boolean', default: false },
    sentinels: { type: 'boolean', default: false },
    cluster: { type: 'boolean', default: false },
    'redis-url': { type: 'string' },
    together: { type: 'boolean', default: false },
    standby: { type: 'boolean', default: false },
    pooler: { type: 'boolean', default: false },
  },
});

function whole(name) {
  const number = Number(options[name]);
  if (!Number.isSafeInteger(number) || number < 1) {
    throw new Error(`--${name} takes a number from 1`);
  }
  return number;
}

const sizes = {
  ...{ deliveries: whole('deliveries'), writes: whole('writes'), strikes: whole('strikes') },
  ...{ slow: whole('slow'), awayMs: whole('away') * 1_000, settleMs: SETTLE_MS },
};
/** Of several servers the faults of one are not played again. */
const STORES = {
  redis: { start: OwnRedis.start, strikes: { ...STRIKES, ...REDIS_STRIKES } },
  sentinels: { start: RedisWithSentinels.start, strikes: FAILOVER_STRIKES },
  cluster: { start: RedisCluster.start, strikes: FAILOVER_STRIKES },
};
const store = STORES[Object.keys(STORES).find((name) => options[name])];
if (options.standby && options.pooler) throw new Error('Either --standby or --pooler');
const ofDatabase = Object.keys({
  ...(options.standby ? CLUSTER_STRIKES : {}),
  ...(options.pooler ? POOLER_STRIKES : {}),
});
const ofAny = Object.keys(store?.strikes ?? STRIKES);
const usual = ofDatabase.length > 0 ? ofDatabase : ofAny;
// A killed server of a cluster does not come back by itself.
const possible = [
  ...ofAny.filter((name) => name !== 'database' || !options.standby),
  ...ofDatabase,
];
const faults = options.faults?.split(',') ?? usual;
const impossible = faults.filter((name) => !possible.includes(name));
if (impossible.length > 0) throw new Error(`--faults takes ${possible.join(', ')}`);

const scratch = await Scratch.open('trellis-faults-');

async function runAll() {
  const { folder } = scratch;
  const cluster = options.standby ? await PostgresCluster.start(scratch) : undefined;
  const database = cluster?.database ?? (await ownDatabase(scratch));
  const pooler = options.pooler ? await OwnPooler.start(scratch, database.url) : undefined;
  const redis = await store?.start(scratch);
  const redisUrl = redis?.url ?? options['redis-url'];
  const environment = {
    ...ENVIRONMENT,
    ...(cluster && { DATABASE_URL: cluster.url }),
    ...(pooler && { DATABASE_URL: pooler.url, DATABASE_DIRECT_URL: database.url }),
  };
  const service = new Service({ main: built('main.js'), folder, redisUrl, database, environment });
  scratch.defer(() => service.destroy());
  const { seed, together } = options;
  const log = console.log;
  const surroundings = { service, redis, cluster, pooler, scratch };
  return new Campaign({ ...surroundings, seed, sizes, together, log }).run(faults);
}

console.log(`${faults.join(', ')} with --seed ${options.seed}`);
await scratch.judge(runAll, {
  seed: options.seed,
  success: 'Every committed event arrived.',
  most: MOST_PROBLEMS,
});
