/** @redis */
import { ownQueues } from '../../support/own-queues.js';
import { hasRedisServer } from '../../support/redis-server.js';
import { ScriptRun } from '../../support/script-run.js';

jest.setTimeout(300_000);

const isOnRedis = (process.env['TEST_REDIS_URL'] ?? '') !== '';

/** `npm run campaign` has all of them. */
const FAULTS = ['worker', 'database', ...(isOnRedis && hasRedisServer ? ['redis-stopped'] : [])];

async function queues(): Promise<string[]> {
  if (!isOnRedis) return [];
  if (hasRedisServer) return ['--redis'];
  const { REDIS_URL = '' } = await ownQueues();
  return ['--redis-url', REDIS_URL];
}

describe(`deliveries to hooks, amid these faults: ${FAULTS.join(', ')}`, () => {
  let run: ScriptRun | undefined;

  afterAll(() => run?.stop());

  it('all arrive, each under one id, at bad receivers too', async () => {
    const sizes = ['--deliveries', '30', '--writes', '15', '--strikes', '1', '--slow', '1'];
    const faults = ['--faults', FAULTS.join(',')];
    const args = [
      ...sizes,
      ...faults,
      '--away',
      '2',
      '--together',
      '--seed',
      'suite',
      ...(await queues()),
    ];
    run = new ScriptRun('test/faults/deliveries.mjs', args);
    const { code, said } = await run.ended;
    expect(said).toContain('Every committed event arrived');
    expect(code).toBe(0);
  });
});
