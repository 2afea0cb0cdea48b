import { ownQueues } from '../../support/own-queues.js';
import { ScriptRun } from '../../support/script-run.js';

jest.setTimeout(300_000);

describe('a service that is killed amid pushes and project creations', () => {
  let rounds: ScriptRun | undefined;

  afterAll(() => rounds?.stop());

  it('loses nothing acknowledged and leaves nothing half-made', async () => {
    const { REDIS_URL } = await ownQueues();
    const args = ['--rounds', '2', '--seed', 'suite', ...(REDIS_URL ? ['--redis', REDIS_URL] : [])];
    rounds = new ScriptRun('test/crash/rounds.mjs', args);
    const { code, said } = await rounds.ended;
    expect(said).toMatch(/ [1-9]\d* acknowledged/);
    expect(said).toContain('Nothing acknowledged was lost');
    expect(code).toBe(0);
  });
});
