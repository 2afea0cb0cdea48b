import { ScriptRun } from '../../support/script-run.js';

jest.setTimeout(900_000);

/** `npm run campaign -- postgres` has all of them, and more of each. */
const FAULTS = ['paused', 'disconnected', 'killed'];

describe(`reads beside a standby that suffers: ${FAULTS.join(', ')}`, () => {
  let run: ScriptRun | undefined;

  afterAll(() => run?.stop());

  it('see all that was acknowledged before, and none fails', async () => {
    run = new ScriptRun('test/faults/replicas.mjs', [
      ...['--rounds', '1', '--steps', '6', '--clients', '3', '--seed', 'suite'],
      ...['--faults', FAULTS.join(',')],
    ]);
    const { code, said } = await run.ended;
    expect(said).toContain('No answer was older');
    expect(code).toBe(0);
  });
});
