import type { RedisReport } from '../probes/redis.js';
import { checkClock } from './database-checks.js';
import { type Check, ok, problem, warning } from './check.js';

/** Checks what the server has said. */
export function checkRedis(report: RedisReport, now: Date): Check[] {
  return [
    ok('redis', `Redis ${report.version}`),
    checkEviction(report),
    checkClock('redis-clock', report.clock, now),
  ];
}

function checkEviction({ evictionPolicy }: RedisReport): Check {
  const name = 'redis-eviction';
  const advice = 'set maxmemory-policy to noeviction: an evicted job is only found a minute later';
  if (evictionPolicy === undefined) return warning(name, 'the policy is unknown', advice);
  if (evictionPolicy === 'noeviction') return ok(name, evictionPolicy);
  return problem(name, `the policy is ${evictionPolicy}`, advice);
}
