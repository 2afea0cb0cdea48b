/** @operation */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Person } from '../../support/factories.js';
import { ownQueues } from '../../support/own-queues.js';
import { Receiver } from '../../support/receiver.js';
import { ServiceProcess } from '../../support/service-process.js';
import { Trellis } from '../../support/trellis.js';
import { until } from '../../support/until.js';

const run = promisify(execFile);
const METRICS_TOKEN = 'token-of-the-worker';
const TRACE = 'c0ffee00c0ffee00c0ffee00c0ffee00';
const CALLER = '00f067aa0ba902b7';
const SECRET = 'not to be read by others';

/** Prints at the end of a process which packages of OpenTelemetry it has loaded. */
const SHOW_LOADED = `
process.on('exit', () => {
  const loaded = Object.keys(require('node:module')._cache).map((file) => /@opentelemetry\\/([\\w-]+)/.exec(file)?.[1]);
  process.stderr.write('LOADED ' + JSON.stringify([...new Set(loaded.filter(Boolean))].sort()) + '\\n');
});`;

interface OtlpAttribute {
  readonly key: string;
  readonly value: Record<string, unknown>;
}

interface OtlpSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly attributes: readonly OtlpAttribute[];
}

interface OtlpRequest {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly OtlpAttribute[] };
    readonly scopeSpans: readonly { readonly spans: readonly OtlpSpan[] }[];
  }[];
}

interface SentSpan extends OtlpSpan {
  readonly role: unknown;
}

const valueOf = (attributes: readonly OtlpAttribute[], name: string): unknown =>
  Object.values(attributes.find(({ key }) => key === name)?.value ?? {})[0];

describe('Traces', () => {
  let trellis: Trellis;
  let owner: Person;
  let folder: string;
  let collector: Receiver;
  let receiver: Receiver;
  let url: string;
  let environment: Record<string, string>;
  const processes: ServiceProcess[] = [];

  beforeAll(async () => {
    collector = await Receiver.start();
    receiver = await Receiver.start();
    trellis = await Trellis.start({
      because: 'another process',
      env: { WEBHOOK_ALLOW_LOCAL: 'true' },
    });
    owner = await trellis.factories.user({ projectsLimit: 10 });
    folder = await mkdtemp(path.join(tmpdir(), 'trellis-traces-'));
    await writeFile(path.join(folder, 'show-loaded.cjs'), SHOW_LOADED);
    environment = {
      ...trellis.sharedEnvironment,
      ...(await ownQueues()),
      WEBHOOK_ALLOW_LOCAL: 'true',
      NODE_OPTIONS: `--require=${path.join(folder, 'show-loaded.cjs')}`,
    };
  });

  afterAll(async () => {
    await Promise.all(processes.map((started) => started.kill('SIGKILL')));
    await trellis.stop();
    await collector.stop();
    await receiver.stop();
    await rm(folder, { recursive: true, force: true });
  });

  function start(role: string, env: Record<string, string>): ServiceProcess {
    const started = ServiceProcess.start(role, { ...environment, ...env });
    processes.push(started);
    return started;
  }

  function spans(): SentSpan[] {
    const requests = collector.deliveries.map(({ body }) => JSON.parse(body) as OtlpRequest);
    return requests.flatMap(({ resourceSpans }) =>
      resourceSpans.flatMap(({ resource, scopeSpans }) =>
        scopeSpans.flatMap((scope) =>
          scope.spans.map((span) => ({
            ...span,
            role: valueOf(resource.attributes, 'trellis.role'),
          })),
        ),
      ),
    );
  }

  const find = (name: string, traceId: string): Promise<SentSpan> =>
    until(async () => spans().find((span) => span.name === name && span.traceId === traceId));

  const below = (parent: SentSpan): SentSpan[] =>
    spans().filter(({ parentSpanId }) => parentSpanId === parent.spanId);

  const post = (route: string, body: object, traceparent: string): Promise<Response> =>
    fetch(`${url}/api/v3${route}`, {
      method: 'POST',
      headers: {
        'PRIVATE-TOKEN': owner.token,
        'Content-Type': 'application/json',
        traceparent,
      },
      body: JSON.stringify(body),
    });

  it('load no library and still add the trace ID to the log without a collector', async () => {
    const api = start('api', {});
    const user = `${await api.url()}/api/v3/user`;
    const headers = { 'PRIVATE-TOKEN': owner.token };
    const inTrace = {
      ...headers,
      traceparent: `00-${TRACE}-${CALLER}-01`,
      'X-Request-Id': 'in-one',
    };
    expect((await fetch(user, { headers: inTrace })).status).toBe(200);
    const malformed = {
      ...headers,
      traceparent: `00-${TRACE}-${CALLER}`,
      'X-Request-Id': 'in-none',
    };
    expect((await fetch(user, { headers: malformed })).status).toBe(200);
    const lineOf = async (id: string): Promise<Record<string, unknown>> => {
      const [line] = await api.says(new RegExp(`^.*"requestId":"${id}".*$`, 'm'));
      return JSON.parse(line) as Record<string, unknown>;
    };
    expect(await lineOf('in-one')).toMatchObject({
      traceId: TRACE,
      route: '/api/v3/user',
      userId: owner.user.id,
      statements: 1,
    });
    expect(await lineOf('in-none')).not.toHaveProperty('traceId');
    await api.kill('SIGTERM');
    // The package of the interface alone belongs to the client of Prometheus.
    const [, loaded = ''] = await api.says(/LOADED (.*)/);
    expect(JSON.parse(loaded)).toEqual(['api']);
  });

  it('connect a request, its statements, its job in another process and the delivery to a hook', async () => {
    const endpoint = {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_HEADERS: 'x-tenant=one',
    };
    const api = start('api', endpoint);
    const worker = start('worker', { ...endpoint, METRICS_PORT: '0', METRICS_TOKEN });
    url = await api.url();
    const project = await trellis.factories.project(owner);
    const hook = { url: `${receiver.url}/${SECRET.replaceAll(' ', '-')}`, issues_events: true };
    await trellis
      .as(owner)
      .post(`/projects/${String(project.id)}/hooks`)
      .send(hook)
      .expect(200);
    const route = `/projects/${String(project.id)}/issues?private_token=${owner.token}`;
    const made = await post(route, { title: SECRET }, `00-${TRACE}-${CALLER}-01`);
    expect(made.status).toBe(200);

    const [delivered] = await receiver.received(1);
    const delivery = await find('deliver to hook', TRACE);
    const job = await find('job hooks/deliver', TRACE);
    const request = await find('POST /api/v3/projects/:id/issues', TRACE);
    expect(delivered!.headers['traceparent']).toBe(`00-${TRACE}-${delivery.spanId}-01`);
    expect([request.parentSpanId, request.role]).toEqual([CALLER, 'api']);
    expect([job.parentSpanId, job.role]).toEqual([request.spanId, 'worker']);
    expect(delivery.parentSpanId).toBe(job.spanId);
    expect(valueOf(delivery.attributes, 'http.response.status_code')).toBe(200);
    const statements = below(request).filter(({ name }) => name === 'WITH' || name === 'INSERT');
    expect(statements.length).toBeGreaterThan(0);
    expect(valueOf(statements[0]!.attributes, 'db.query.text')).toContain('$1');
    await until(async () => below(job).some(({ name }) => name === 'WITH' || name === 'SELECT'));
    const sent = collector.deliveries.map(({ body }) => body).join('\n');
    for (const secret of [SECRET, SECRET.replaceAll(' ', '-'), owner.token]) {
      expect(sent).not.toContain(secret);
    }
    const { path: sentTo, headers } = collector.deliveries[0]!;
    expect([sentTo, headers['x-tenant']]).toEqual(['/v1/traces', 'one']);

    const [, port = ''] = await worker.says(/"port":(\d+),"msg":"Figures are served"/);
    const metrics = `http://127.0.0.1:${port}/metrics`;
    expect((await fetch(metrics)).status).toBe(401);
    const answer = await fetch(metrics, { headers: { Authorization: `Bearer ${METRICS_TOKEN}` } });
    const figures = await answer.text();
    expect(figures).toMatch(
      /trellis_job_duration_seconds_count\{queue="hooks",job="deliver",outcome="succeeded"\} 1/,
    );
    expect(figures).toMatch(
      /trellis_hook_delivery_duration_seconds_count\{outcome="delivered"\} 1/,
    );
    await worker.kill('SIGTERM');
    const [, loaded = ''] = await worker.says(/LOADED (.*)/);
    expect(JSON.parse(loaded)).toContain('sdk-trace');
  });

  it('show the git processes of a commit and of a clone', async () => {
    const project = await trellis.factories.project(owner);
    const commit = { file_path: 'a', branch_name: 'master', content: 'b', commit_message: 'c' };
    const route = `/projects/${String(project.id)}/repository/files`;
    const trace = TRACE.replaceAll('c', 'd');
    expect((await post(route, commit, `00-${trace}-${CALLER}-01`)).status).toBe(200);
    const request = await find(`POST /api/v3/projects/:id/repository/files`, trace);
    expect(below(request).map(({ name }) => name)).toContain('git update-ref');

    const remote = `${url.replace('//', `//${owner.user.username}:${owner.token}@`)}/${project.fullPath}.git`;
    await run('git', ['clone', '--quiet', remote, path.join(folder, 'clone')]);
    const clone = 'POST /:namespace/:project.git/git-upload-pack';
    await until(async () => {
      const requests = spans().filter(({ name }) => name === clone);
      return requests.some((span) => below(span).some(({ name }) => name === 'git upload-pack'));
    });
  });

  it('respect a caller that does not sample the trace', async () => {
    const trace = TRACE.replaceAll('c', 'e');
    const project = await trellis.factories.project(owner);
    const route = `/projects/${String(project.id)}/issues`;
    const answer = await post(route, { title: 'a' }, `00-${trace}-${CALLER}-00`);
    expect(answer.status).toBe(200);
    // What was sampled before has been sent by then.
    await processes.at(1)?.kill('SIGTERM');
    expect(spans().filter(({ traceId }) => traceId === trace)).toEqual([]);
  });

  it('are dropped when the collector does not respond, and requests succeed', async () => {
    const silent = await Receiver.start(() => undefined);
    const api = start('api', { OTEL_EXPORTER_OTLP_ENDPOINT: silent.url });
    url = await api.url();
    const project = await trellis.factories.project(owner);
    const route = `/projects/${String(project.id)}/issues`;
    expect((await post(route, { title: 'a' }, '')).status).toBe(200);
    await silent.received(1);
    expect((await post(route, { title: 'b' }, '')).status).toBe(200);
    expect(await api.kill('SIGTERM')).toEqual({ code: 0, signal: null });
    await silent.stop();
  });
});
