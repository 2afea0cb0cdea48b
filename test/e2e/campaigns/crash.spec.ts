import { ScriptRun } from '../../support/script-run.js';

jest.setTimeout(900_000);

describe('a service that is killed amid pushes and project creations', () => {
  let rounds: ScriptRun | undefined;

  afterAll(() => rounds?.stop());

  it('loses nothing acknowledged and leaves nothing half-made', async () => {
    rounds = new ScriptRun('test/crash/rounds.mjs', ['--rounds', '2', '--seed', 'suite']);
    const { code, said } = await rounds.ended;
    expect(said).toMatch(/ [1-9]\d* acknowledged/);
    expect(said).toContain('Nothing acknowledged was lost');
    expect(code).toBe(0);
  });
});
