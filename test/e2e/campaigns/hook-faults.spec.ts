import { hasRedisServer } from '../../support/redis-server.js';
import { ScriptRun } from '../../support/script-run.js';

jest.setTimeout(900_000);

/** `npm run campaign` has all faults, with the queues in PostgreSQL as well. */
const FAULTS = ['worker', 'database', ...(hasRedisServer ? ['redis-stopped'] : [])];

describe(`deliveries to hooks, amid these faults: ${FAULTS.join(', ')}`, () => {
  let run: ScriptRun | undefined;

  afterAll(() => run?.stop());

  it('all arrive, each under one id, at bad receivers too', async () => {
    const sizes = ['--deliveries', '30', '--writes', '15', '--strikes', '1', '--slow', '1'];
    const faults = ['--faults', FAULTS.join(','), '--away', '2', '--together'];
    const queues = hasRedisServer ? ['--redis'] : [];
    run = new ScriptRun('test/faults/deliveries.mjs', [
      ...sizes,
      ...faults,
      ...['--seed', 'suite', ...queues],
    ]);
    const { code, said } = await run.ended;
    expect(said).toContain('Every committed event arrived');
    expect(code).toBe(0);
  });
});
