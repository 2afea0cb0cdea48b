/** @operation */
import { VerifyCountersJob } from '../../../src/modules/issuables/model/counters/verify-counters.job.js';
import { CountersRepository } from '../../../src/modules/issuables/model/counters/counters.repository.js';
import { ProjectStorage } from '../../../src/modules/storage/index.js';
import { BrowserSession } from '../../support/browser-session.js';
import { runCommand } from '../../support/commands.js';
import { Trellis } from '../../support/trellis.js';
import { git } from '../../unit/git/support/workshop.js';

jest.setTimeout(120_000);

/** `v1.0` and `add-search` of the small website. */
const HEADS = '52097dcfb8dc9479ede9c0984d5785f7e0aa514a\ncb307f7b8760e1aac085fea76320b7646cfaab08';

describe('trellis seed', () => {
  let trellis: Trellis;

  beforeAll(async () => {
    trellis = await Trellis.start({ because: 'state of the instance' });
    await trellis.factories.admin();
  });
  afterAll(() => trellis.stop());

  const seed = (...options: string[]) =>
    runCommand(['seed', ...options], trellis.sharedEnvironment);

  it('creates projects with all kinds of data, once, and beside others only with --force', async () => {
    const { code, output } = await seed('--small');
    expect(code).toBe(0);
    const [, token = ''] = /PRIVATE-TOKEN: (\S+)"/.exec(output) ?? [];
    const [, login = '', password = ''] =
      /Sign in as:\n {2}user name {2}(\S+)\n {2}password {3}(\S+)\n/.exec(output) ?? [];
    const browser = new BrowserSession(trellis);
    await browser.signIn(login, password);
    const addresses = [...output.matchAll(/^ {2}http:\/\/[^/]+(\/\S+)$/gm)].map(([, path]) => path);
    expect(addresses).toEqual([
      ...['/demo-apps/website', '/demo-apps/service', '/demo-libs/text-tools'],
    ]);
    for (const path of addresses) expect((await browser.get(path ?? '')).status).toBe(200);
    const client = trellis.as({ token });
    const path = `/projects/${encodeURIComponent('demo-apps/website')}`;
    const { id } = (await client.get(path).expect(200)).body as { id: number };
    const issues = await client.get(`${path}/issues`).expect(200);
    expect(issues.body).toHaveLength(6);
    const requests = await client.get(`${path}/merge_requests?state=all`).expect(200);
    const states = (requests.body as { state: string }[]).map(({ state }) => state);
    expect(states.sort()).toEqual(['closed', 'merged', 'opened', 'opened']);
    const members = await client.get('/groups/demo-libs/members').expect(200);
    expect(members.body).toHaveLength(6);
    const folder = trellis.app.get(ProjectStorage).path({ id, storage: 'default' });
    // The same commits on every instance.
    expect(await git(['rev-parse', 'v1.0', 'add-search'], { cwd: folder })).toBe(HEADS);
    await git(['fsck', '--strict'], { cwd: folder });

    const refused = await seed();
    expect(refused.code).toBe(1);
    expect(refused.failure).toContain('--force adds the demo data');
    const again = await seed('--force');
    expect(again).toMatchObject({ code: 0, output: 'The demo data are there already.\n' });
  });

  it('leaves exact counters', async () => {
    const corrected = jest.spyOn(trellis.app.get(CountersRepository), 'correctTarget');
    const projects = jest.spyOn(trellis.app.get(CountersRepository), 'correctProject');
    const { signal } = new AbortController();
    await trellis.app.get(VerifyCountersJob).handle({}, { signal });
    expect([corrected.mock.calls, projects.mock.calls]).toEqual([[], []]);
  });
});
