import { type Figures, parseFigures } from '../../support/figures.js';
import { HookDeliveries } from '../../support/hook-deliveries.js';
import { PushedProjects } from '../../support/pushed-projects.js';
import { Receivers } from '../../support/receiver.js';
import { Trellis } from '../../support/trellis.js';
import { until } from '../../support/until.js';

jest.setTimeout(120_000);

const METRICS_TOKEN = 'token-of-the-metrics-of-work';

describe('Metrics of work', () => {
  const receivers = new Receivers();
  let trellis: Trellis;
  let pushed: PushedProjects;

  beforeAll(async () => {
    const env = { METRICS_TOKEN, WEBHOOK_ALLOW_LOCAL: 'true' };
    trellis = await Trellis.start({ because: 'state of the instance', runsJobs: true, env });
    pushed = new PushedProjects(trellis, await trellis.factories.user());
  });
  afterAll(async () => {
    await pushed.remove();
    await receivers.stop();
    await trellis.stop();
  });

  const read = async (): Promise<Figures> => {
    const headers = { Authorization: `Bearer ${METRICS_TOKEN}` };
    return parseFigures(await (await fetch(`${trellis.url}/metrics`, { headers })).text());
  };

  /** By how much figures grow through work, all those together whose names begin so; new ones grow from 0. */
  async function growth(work: () => Promise<unknown>): Promise<(name: string) => number> {
    const before = await read();
    await work();
    const after = await read();
    return (beginning) =>
      Object.entries(after)
        .filter(([name]) => name.startsWith(beginning))
        .reduce((sum, [name, value]) => sum + value - (before[name] ?? 0), 0);
  }

  it('count a request, a push, a clone and a delivery', async () => {
    const { project, work, head } = await pushed.make();
    // The first advertisement of a process asks git, by one more process.
    expect((await work.push('HEAD:refs/heads/first')).code).toBe(0);
    await work.commit('Second commit');
    const clone = await pushed.checkout(project, null);
    const hooks = new HookDeliveries(trellis);
    const fine = await receivers.start(200);
    const broken = await receivers.start(500);
    const repository = `/projects/${String(project.id)}/repository`;
    const jobs =
      'trellis_job_duration_seconds_count{queue="hooks",job="deliver",outcome="succeeded"}';
    // Other suites of the batch may have run some.
    const ranBefore = (await read())[jobs] ?? 0;

    const grown = await growth(async () => {
      expect((await work.push('HEAD:refs/heads/master')).code).toBe(0);
      await clone.git('clone', '--quiet', work.remote, 'copy');
      await trellis.as(pushed.owner).get(`${repository}/tree`).expect(200);
      await trellis.as(pushed.owner).get(`${repository}/tree`).expect(200);
      await trellis
        .as(pushed.owner)
        .get(`${repository}/compare?from=${head}&to=master`)
        .expect(200);
      await hooks.ended(await hooks.queue(await hooks.hook(fine.url)));
      await hooks.attempted(await hooks.queue(await hooks.hook(broken.url)), 1);
      // Attempts are counted after they are recorded.
      await until(async () => (await read())[jobs] === ranBefore + 2);
    });

    const operations = 'trellis_git_operations_total{operation=';
    expect(grown(`${operations}"push",protocol="http"}`)).toBe(1);
    expect(grown(`${operations}"clone",protocol="http"}`)).toBe(1);
    expect(grown(`${operations}"fetch",protocol="http"}`)).toBe(0);
    const bytes = (service: string, direction: string) =>
      grown(
        `trellis_git_transferred_bytes_total{service="${service}",protocol="http",direction="${direction}"}`,
      );
    // A pack with one commit has at least its 12 bytes in front and 20 behind.
    expect(bytes('receive-pack', 'received')).toBeGreaterThan(100);
    expect(bytes('receive-pack', 'sent')).toBeGreaterThan(0);
    expect(bytes('upload-pack', 'received')).toBeGreaterThan(0);
    expect(bytes('upload-pack', 'sent')).toBeGreaterThan(100);
    const command = 'command="receive-pack"';
    expect(grown(`trellis_git_processes_started_total{${command}}`)).toBe(1);
    expect(grown(`trellis_git_process_duration_seconds_count{${command}}`)).toBe(1);
    // Those of pushes and clones have slots of clients. Commits are compared by some that take turns.
    expect(grown('trellis_git_process_wait_seconds_count{kind="interactive"}')).toBeGreaterThan(0);

    const tree = 'route="/api/v3/projects/:id/repository/tree",status="200"';
    expect(grown(`trellis_http_request_duration_seconds_count{method="GET",${tree}}`)).toBe(2);
    const statements = grown('trellis_database_statements_total');
    expect(statements).toBeGreaterThan(10);
    expect(grown('trellis_database_statement_duration_seconds_count')).toBeGreaterThan(10);
    expect(grown('trellis_database_statement_duration_seconds_sum')).toBeGreaterThan(0);

    const deliveries = 'trellis_hook_delivery_duration_seconds_count{outcome=';
    expect(grown(`${deliveries}"delivered"}`)).toBe(1);
    expect(grown(`${deliveries}"status"}`)).toBe(1);
  });

  it('count refused requests, and hits of caches', async () => {
    const { project } = await pushed.make();
    const commits = `/projects/${String(project.id)}/repository/commits`;
    const look = () => trellis.as(pushed.owner).get(commits).expect(200);
    const long = 'x'.repeat(2 * 1024 ** 2);
    const grown = await growth(async () => {
      await look();
      await look();
      await trellis.anonymous.post('/session', { login: long, password: 'x' }).expect(413);
    });
    expect(grown('trellis_budget_exceeded_total{budget="body_size"}')).toBe(1);
    const after = await read();
    const caches = Object.keys(after).filter((name) => /^trellis_cache_lookups_total{/.test(name));
    const lookups = (result: string) =>
      caches
        .filter((name) => name.endsWith(`result="${result}"}`))
        .reduce((sum, name) => sum + grown(name), 0);
    expect(lookups('hit')).toBeGreaterThan(0);
    expect(lookups('miss')).toBeGreaterThan(0);
    expect(after['trellis_git_processes_running']).toBeGreaterThan(0);
    expect(after['trellis_traces_unsent_spans_total']).toBe(0);
  });
});
