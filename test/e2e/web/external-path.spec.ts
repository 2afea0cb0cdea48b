/**
 * @needs nginx caddy
 * @operation
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { git } from '../../unit/git/support/workshop.js';
import { BrowserSession } from '../../support/browser-session.js';
import type { Person } from '../../support/factories.js';
import { freePort } from '../../support/free-port.js';
import { PushedProjects, type PushedProject } from '../../support/pushed-projects.js';
import { Trellis } from '../../support/trellis.js';
import { until } from '../../support/until.js';

jest.setTimeout(120_000);

const BASE = '/git';

/** The example of docs/operations.md in a language. */
function example(language: string): string {
  const section = readFileSync('docs/operations.md', 'utf8').split('### Below a path')[1] ?? '';
  const block = new RegExp(`^\`\`\`${language}\n([^]*?)^\`\`\`$`, 'm').exec(section)?.[1];
  if (block === undefined) throw new Error(`No example for ${language}`);
  return block;
}

interface Addresses {
  readonly folder: string;
  readonly port: number;
  /** Host and port of the service. */
  readonly service: string;
}

/** The configuration of a proxy with its example, and the command that starts it. */
const PROXIES = {
  nginx: ({ folder, port, service }: Addresses) => {
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
      .map((name) => `${name}_temp_path ${folder}/${name};`)
      .join(' ');
    const [map = '', location = ''] = example('nginx').split(/^(?=location)/m);
    const server = `server { listen 127.0.0.1:${String(port)}; ${location} }`;
    const text = `daemon off; error_log stderr; pid ${folder}/pid; events {}
      http { access_log off; ${temporary} upstream trellis { server ${service}; } ${map} ${server} }`;
    return { text, command: ['nginx', '-p', folder, '-c'] };
  },
  caddy: ({ port, service }: Addresses) => {
    const site = example('caddy')
      .replace('example.com', `http://127.0.0.1:${String(port)}`)
      .replace('127.0.0.1:3000', service);
    const command = ['caddy', 'run', '--adapter', 'caddyfile', '--config'];
    return { text: `{\n\tadmin off\n}\n${site}`, command };
  },
};

describe.each(['nginx', 'caddy'] as const)('below a path of the host, by %s', (name) => {
  let trellis: Trellis;
  let folder: string;
  let proxy: ChildProcess;
  let external: string;
  let owner: Person;
  let projects: PushedProjects;
  let pushed: PushedProject;

  beforeAll(async () => {
    const port = await freePort();
    external = `http://127.0.0.1:${String(port)}${BASE}`;
    trellis = await Trellis.shared({ settings: { EXTERNAL_URL: external } });
    owner = await trellis.factories.user();
    projects = new PushedProjects(trellis, owner);
    pushed = await projects.make({ visibilityLevel: 20 });
    folder = await mkdtemp(path.join(tmpdir(), 'trellis-path-'));
    const service = `127.0.0.1:${new URL(trellis.url).port}`;
    const { text, command } = PROXIES[name]({ folder, port, service });
    const file = path.join(folder, 'configuration');
    await writeFile(file, text);
    const [program = '', ...rest] = command;
    const env = { PATH: process.env['PATH'], HOME: folder };
    proxy = spawn(program, [...rest, file], { cwd: folder, env, stdio: 'ignore' });
    await until(async () => {
      if (proxy.exitCode !== null) throw new Error(`${name} does not start`);
      return (await fetch(`${external}/healthz`).catch(() => undefined))?.ok;
    });
  });
  afterAll(async () => {
    const ended = once(proxy, 'exit');
    if (proxy.kill('SIGTERM')) await ended;
    await rm(folder, { recursive: true, force: true });
    await projects.remove();
    await trellis.restore();
  });

  const call = async (address: string) => {
    const response = await fetch(address, { headers: { 'PRIVATE-TOKEN': owner.token } });
    return { status: response.status, headers: response.headers, text: await response.text() };
  };

  it('serves git by addresses with and without .git', async () => {
    const { project, head, work } = pushed;
    for (const ending of ['.git', '']) {
      const address = `${external}/${project.fullPath}${ending}`;
      expect(await git(['ls-remote', address, 'refs/heads/master'])).toContain(head);
      const remote = new URL(address);
      remote.username = owner.user.username;
      remote.password = owner.token;
      await work.git('push', '--quiet', remote.href, `HEAD:refs/heads/by-path${ending}x`);
    }
  });

  it('returns addresses below the path', async () => {
    const { project } = pushed;
    const api = `${external}/api/v3/projects`;
    const { status, text } = await call(`${api}/${encodeURIComponent(project.fullPath)}`);
    expect(status).toBe(200);
    const shown = JSON.parse(text) as Record<'web_url' | 'http_url_to_repo', string>;
    expect(shown.web_url).toBe(`${external}/${project.fullPath}`);
    expect(shown.http_url_to_repo).toBe(`${external}/${project.fullPath}.git`);
    const branches = `${api}/${String(project.id)}/repository/branches`;
    expect((await call(`${branches}/feature%2Fnone`)).status).toBe(404);
    await pushed.work.push('HEAD:refs/heads/feature/one');
    expect((await call(`${branches}/feature%2Fone`)).status).toBe(200);
    const { headers } = await call(`${branches}?per_page=1`);
    const next = /<([^>]+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1] ?? '';
    expect(next.startsWith(`${external}/api/v3/`)).toBe(true);
    expect((await call(next)).status).toBe(200);
  });

  it('has pages whose links, forms and redirects stay below it', async () => {
    const browser = new BrowserSession({ url: new URL(external).origin });
    const csrf_token = await browser.csrfToken(`${BASE}/-/sign_in`);
    const { headers } = await browser.post(`${BASE}/-/sign_in`, {
      csrf_token,
      private_token: owner.token,
      return_to: `/${pushed.project.fullPath}`,
    });
    expect(headers.get('location')).toBe(`${BASE}/${pushed.project.fullPath}`);
    const seen = new Set([headers.get('location') ?? '', `${BASE}/api/v3/docs`]);
    for (const page of seen) {
      const answer = await browser.get(page);
      expect([page, answer.status]).toEqual([page, 200]);
      const isHelp = page.startsWith(`${BASE}/help/`);
      if (isHelp || answer.headers.get('content-type')?.startsWith('text/html') !== true) continue;
      for (const [, target = ''] of answer.text.matchAll(/ (?:href|src|action)="([^"]*)"/g)) {
        if (target.startsWith('#') || target.startsWith('data:')) continue;
        const { href, pathname, search } = new URL(target.replaceAll('&amp;', '&'), external + '/');
        expect([page, href.startsWith(`${external}/`)]).toEqual([page, true]);
        if (!/\/sign_out$/.test(pathname)) seen.add(pathname + search);
      }
    }
    expect(seen.size).toBeGreaterThan(30);
  });
});
