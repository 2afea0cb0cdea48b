import { ScriptRun } from '../../support/script-run.js';

jest.setTimeout(900_000);

/** One that works with its body, and one with the number of its requests. */
const ATTACKS = ['json-numbers', 'wrong-basic-logins'];

describe('a service under attack', () => {
  let campaign: ScriptRun | undefined;

  afterAll(() => campaign?.stop());

  it('goes on serving others, within its memory, and answers attackers clearly', async () => {
    const args = ['--only', ATTACKS.join(','), '--rounds', '1', '--seed', 'suite'];
    const limits = ['--loaded', '--patience', '30', '--baseline', '3', '--bail'];
    campaign = new ScriptRun('test/hostile/campaign.mjs', [...args, ...limits]);
    const { code, said } = await campaign.ended;
    expect(said).toContain('No attack disturbed the other user.');
    expect(code).toBe(0);
  });
});
