/**
 * @needs prometheus promtool
 * @operation
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '../../support/free-port.js';
import { Trellis } from '../../support/trellis.js';
import { until } from '../../support/until.js';

jest.setTimeout(120_000);

const run = promisify(execFile);
const METRICS_TOKEN = 'token-of-the-monitoring';
const PROMETHEUS = path.resolve('docker', 'prometheus');

interface Dashboard {
  readonly panels: readonly {
    readonly title: string;
    readonly targets: readonly { readonly expr: string }[];
  }[];
}

interface QueryAnswer {
  readonly status: string;
  readonly data: { readonly result: readonly { readonly metric: Record<string, string> }[] };
}

describe('the monitoring files in docker/', () => {
  let trellis: Trellis;
  let folder: string;
  let prometheus: ChildProcess;
  let url: string;

  beforeAll(async () => {
    trellis = await Trellis.start({ because: 'state of the instance', env: { METRICS_TOKEN } });
    folder = await mkdtemp(path.join(tmpdir(), 'trellis-prometheus-'));
    await writeFile(path.join(folder, 'metrics-token'), METRICS_TOKEN);
    await writeFile(path.join(folder, 'prometheus.yml'), await configuration());
    await writeFile(path.join(folder, 'alerts.yml'), await readFile(`${PROMETHEUS}/alerts.yml`));
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    const options = [
      '--config.file=prometheus.yml',
      `--web.listen-address=127.0.0.1:${port}`,
      '--storage.tsdb.path=data',
    ];
    prometheus = spawn('prometheus', options, { cwd: folder, stdio: 'ignore' });
    await until(async () => {
      if (prometheus.exitCode !== null) throw new Error('Prometheus does not start');
      return (await query('up == 1')).length > 0;
    });
  });

  afterAll(async () => {
    const ended = new Promise((resolve) => prometheus.once('exit', resolve));
    if (prometheus.kill('SIGTERM')) await ended;
    await rm(folder, { recursive: true, force: true, maxRetries: 10 });
    await trellis.stop();
  });

  /** The example as it stands, but for the address and a shorter interval. */
  async function configuration(): Promise<string> {
    const text = await readFile(`${PROMETHEUS}/prometheus.yml`, 'utf8');
    const { host } = new URL(trellis.url);
    const often = 'scrape_interval: 1s\n  scrape_timeout: 1s';
    return text.replace('localhost:3000', host).replace('scrape_interval: 15s', often);
  }

  async function query(expression: string): Promise<QueryAnswer['data']['result']> {
    const address = `${url}/api/v1/query?query=${encodeURIComponent(expression)}`;
    const response = await fetch(address).catch(() => undefined);
    if (!response?.ok) return [];
    return ((await response.json()) as QueryAnswer).data.result;
  }

  it('raise alerts for operators only in their conditions', async () => {
    const { stdout } = await run('promtool', ['test', 'rules', `${PROMETHEUS}/alerts.test.yml`]);
    expect(stdout).toContain('SUCCESS');
    const response = await fetch(`${url}/api/v1/rules`);
    const { data } = (await response.json()) as {
      data: { groups: { rules: { name: string; lastError?: string }[] }[] };
    };
    const rules = data.groups.flatMap((group) => group.rules);
    expect(rules).toHaveLength(11);
    expect(rules.filter(({ lastError = '' }) => lastError !== '')).toEqual([]);
  });

  it('name metrics as Prometheus recommends', async () => {
    const headers = { Authorization: `Bearer ${METRICS_TOKEN}` };
    const text = await (await fetch(`${trellis.url}/metrics`, { headers })).text();
    const own = text.split('\n').filter((line) => /^(# \w+ )?trellis_/.test(line));
    expect(own.length).toBeGreaterThan(50);
    const file = path.join(folder, 'metrics.txt');
    await writeFile(file, `${own.join('\n')}\n`);
    const { stdout } = await run('sh', ['-c', 'promtool check metrics < "$1" 2>&1', 'sh', file]);
    expect(stdout).toBe('');
  });

  it('use existing metrics in the dashboard', async () => {
    const admin = await trellis.factories.admin();
    const headers = { 'PRIVATE-TOKEN': admin.token };
    // Figures that an idle instance does not have.
    await trellis.rows(
      `INSERT INTO outbox (queue, name, payload, run_at) VALUES ('hooks', 'deliver', '{}', now())`,
    );
    const text = await readFile(path.resolve('docker', 'grafana', 'dashboard.json'), 'utf8');
    const { panels } = JSON.parse(text) as Dashboard;
    const expressions = panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
    expect(expressions).toHaveLength(28);
    // A rate needs two scrapes, with a request of the API in between.
    const rate =
      'sum(rate(trellis_http_request_duration_seconds_count{route="/api/v3/user"}[5m])) > 0';
    await until(async () => {
      await fetch(`${trellis.url}/api/v3/user`, { headers });
      return (await query(rate)).length > 0;
    });
    const only =
      /status=~"5\.\."|budget_exceeded|hook_failures|git_operations|transferred|job_duration|delivery_duration|cache_lookups|process_wait|processes_started|replica/;
    for (const expression of expressions.filter((text) => !only.test(text))) {
      // Missing for a moment when the service was too slow for Prometheus.
      await until(async () => (await query(expression)).length > 0);
    }
    for (const expression of expressions.filter((text) => only.test(text))) {
      const address = `${url}/api/v1/query?query=${encodeURIComponent(expression)}`;
      expect([expression, (await fetch(address)).status]).toEqual([expression, 200]);
    }
  });
});
