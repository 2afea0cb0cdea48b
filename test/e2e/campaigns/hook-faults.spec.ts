/** @redis */
import { ownQueues } from '../../support/own-queues.js';
import { hasRedisServer } from '../../support/redis-server.js';
import { ScriptRun } from '../../support/script-run.js';

jest.setTimeout(300_000);

const isOnRedis = (process.env['TEST_REDIS_URL'] ?? '') !== '';

/** What is killed, stopped and emptied, for the title. */
function victims(): string {
  const always = 'worker, api and PostgreSQL';
  if (!isOnRedis) return always;
  if (hasRedisServer) return `${always}, and Redis, which is also frozen and emptied`;
  return `${always} (not Redis, for want of a redis-server on the PATH)`;
}

async function queues(): Promise<string[]> {
  if (!isOnRedis) return [];
  if (hasRedisServer) return ['--redis'];
  const { REDIS_URL = '' } = await ownQueues();
  return ['--redis-url', REDIS_URL];
}

describe(`deliveries to hooks, amid which faults befall ${victims()}`, () => {
  let faults: ScriptRun | undefined;

  afterAll(() => faults?.stop());

  it('all arrive, each under one id, at bad receivers too', async () => {
    const sizes = ['--deliveries', '80', '--writes', '40', '--strikes', '1', '--slow', '2'];
    const args = [...sizes, '--away', '2', '--together', '--seed', 'suite', ...(await queues())];
    faults = new ScriptRun('test/faults/deliveries.mjs', args);
    const { code, said } = await faults.ended;
    expect(said).toContain('Every committed event arrived');
    expect(code).toBe(0);
  });
});
