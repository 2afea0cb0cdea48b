import type { FailoverReport, RedisReport } from '../probes/redis.js';
import { checkClock } from './database-checks.js';
import { type Check, ok, problem, warning } from './check.js';

/** Checks what the server has said. */
export function checkRedis(report: RedisReport, now: Date): Check[] {
  return [
    ok('redis', `Redis ${report.version}`),
    checkEviction(report),
    checkClock('redis-clock', report.clock, now),
    ...(report.failover === undefined ? [] : [checkFailover(report.failover)]),
  ];
}

/** Whether another server would take over. */
function checkFailover({ by, master, replicas, silent, obstacle }: FailoverReport): Check {
  const name = 'redis-failover';
  if (obstacle !== null) {
    const advice = 'start the missing servers: while it lasts, jobs wait if the master is lost';
    return problem(name, obstacle, advice);
  }
  if (replicas === 0) {
    return warning(name, `${master} has no replica`, 'start one, or nothing can take its place');
  }
  const asked = by === 'sentinel' ? 'Sentinels' : 'nodes';
  if (silent.length > 0) {
    const advice = `start them, or name the ${asked} that there are in REDIS_URL`;
    return warning(name, `${asked} that do not answer: ${silent.join('; ')}`, advice);
  }
  return ok(
    name,
    `the master is ${master}, with ${replicas} ${replicas === 1 ? 'replica' : 'replicas'}`,
  );
}

function checkEviction({ evictionPolicy }: RedisReport): Check {
  const name = 'redis-eviction';
  const advice = 'set maxmemory-policy to noeviction: an evicted job is only found a minute later';
  if (evictionPolicy === undefined) return warning(name, 'the policy is unknown', advice);
  if (evictionPolicy === 'noeviction') return ok(name, evictionPolicy);
  return problem(name, `the policy is ${evictionPolicy}`, advice);
}
