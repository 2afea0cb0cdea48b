import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { ImportTooLargeError, RemoteError, type Repository } from '../../../src/git/index.js';
import { DaemonHost } from './support/daemon-host.js';
import { HttpHost } from './support/http-host.js';
import { git, importStream, line, Workshop } from './support/workshop.js';

const LOOPBACK = ['127.0.0.1'];
const SECRET = 'pass:w0rd/ü';

const refsOf = (repository: Repository) =>
  git(['for-each-ref', '--format=%(refname) %(objectname)'], { cwd: repository.path });

describe('fetching a repository', () => {
  let workshop: Workshop;
  let source: Repository;
  let target: Repository;
  let http: HttpHost;
  const inSource = (...args: string[]) => git(args, { cwd: source.path });
  const remoteAt = (address: string) => ({ address, pinned: LOOPBACK });

  /** What the failure is, and that it says nothing but its own text. */
  async function failureOf(fetching: Promise<void>): Promise<string> {
    const error = await fetching.then(
      () => null,
      (reason: unknown) => reason,
    );
    if (!(error instanceof RemoteError)) throw new Error(`Not as expected: ${String(error)}`);
    expect(error.cause).toBeUndefined();
    expect(await refsOf(target)).toBe('');
    await expectNothingAside();
    return error.reason;
  }

  async function expectNothingAside(): Promise<void> {
    const names = await readdir(dirname(target.path));
    expect(names.filter((name) => name.includes('.creating-'))).toEqual([]);
  }

  beforeAll(async () => {
    workshop = await Workshop.open();
    source = await workshop.repository(line(30) + importStream([{ branch: 'zoë' }]));
    await inSource('tag', '-a', '-m', 'heavy', 'v1', 'master~3');
    await inSource('update-ref', 'refs/merge-requests/1/head', 'master');
    await inSource('branch', 'trunk', 'master~1');
    await inSource('symbolic-ref', 'HEAD', 'refs/heads/trunk');
  });

  afterAll(() => workshop.close());

  beforeEach(async () => {
    target = await workshop.emptyRepository();
    http = await HttpHost.open(source);
  });

  afterEach(() => http.close());

  async function expectFetched(): Promise<void> {
    const refs = (await refsOf(source))
      .split('\n')
      .filter((ref) => !ref.includes('merge-requests'));
    expect((await refsOf(target)).split('\n')).toEqual(refs);
    expect(await target.refs.head()).toBe('trunk');
    await git(['fsck', '--strict', '--no-dangling'], { cwd: target.path });
    await expectNothingAside();
  }

  it('stays out of the repository when its size is refused', async () => {
    const refuse = () => Promise.reject(new Error('No room'));
    const fetching = target.fetchFrom(remoteAt(http.url), { admit: refuse });
    await expect(fetching).rejects.toThrow('No room');
    expect(await refsOf(target)).toBe('');
    await expectNothingAside();
    await target.fetchFrom(remoteAt(http.url), { admit: (_bytes, store) => store() });
    await expectFetched();
  });

  it('copies branches, tags and HEAD over HTTP, and reports progress', async () => {
    const percents: number[] = [];
    await target.fetchFrom(remoteAt(http.url), { onProgress: (percent) => percents.push(percent) });
    await expectFetched();
    expect(percents.at(-1)).toBe(100);
    expect(percents).toEqual([...new Set(percents)].sort((a, b) => a - b));
    expect(http.errors).toEqual([]);
  });

  it('works over the git protocol, and skips a filled repository', async () => {
    const daemon = await DaemonHost.open(source);
    const remote = remoteAt(daemon.url);
    await target.fetchFrom(remote);
    await expectFetched();
    await daemon.close();
    await target.fetchFrom(remote);
    await expectFetched();
  });

  it('stops when git would take too much memory', async () => {
    const bloated = await workshop.repository(line(1));
    const head = await git(['cat-file', 'commit', 'master'], { cwd: bloated.path });
    const file = workshop.path('commit');
    await writeFile(file, `${head}\n${'x'.repeat(200 * 1024 * 1024)}`);
    const commit = await git(['hash-object', '-t', 'commit', '-w', file], { cwd: bloated.path });
    await git(['update-ref', 'refs/heads/master', commit], { cwd: bloated.path });
    const bomb = await HttpHost.open(bloated);
    const small = await workshop.anotherRoom({ pushMemoryBytes: 20 * 1024 * 1024 });
    const fetching = small.repository(target.path).fetchFrom(remoteAt(bomb.url), {});
    await expect(fetching).rejects.toThrow(ImportTooLargeError);
    expect(await refsOf(target)).toBe('');
    await expectNothingAside();
    await bomb.close();
  });

  it('limits the fetched bytes', async () => {
    const noise = randomBytes(2_000_000).toString('hex');
    const large = await HttpHost.open(
      await workshop.repository(importStream([{ files: { noise } }])),
    );
    const fetching = target.fetchFrom(remoteAt(large.url), { maxBytes: 1_000_000 });
    await expect(fetching).rejects.toThrow('The import is too large.');
    expect(await refsOf(target)).toBe('');
    await expectNothingAside();
    await large.close();
  });

  it('fetches an empty repository', async () => {
    const empty = await HttpHost.open(await workshop.emptyRepository());
    await target.fetchFrom(remoteAt(empty.url));
    expect(await refsOf(target)).toBe('');
    await empty.close();
  });

  it('connects to the given addresses, without a lookup of the name', async () => {
    const { port } = http;
    await target.fetchFrom(remoteAt(`http://nowhere.invalid:${port}/x.git`));
    await expectFetched();
    target = await workshop.emptyRepository();
    const elsewhere = { address: `http://localhost:${port}/x.git`, pinned: ['127.0.0.2'] };
    expect(await failureOf(target.fetchFrom(elsewhere))).toBe('unreachable');
    const daemon = await DaemonHost.open(source);
    const address = daemon.url.replace('127.0.0.1', 'nowhere.invalid');
    await target.fetchFrom(remoteAt(address));
    await expectFetched();
    await daemon.close();
  });

  it('authenticates without exposing the credential to other hosts', async () => {
    const basic = Buffer.from(`zoë:${SECRET}`).toString('base64');
    http.authorization = `Basic ${basic}`;
    const credentials = { user: 'zoë', password: SECRET };
    const fetching = target.fetchFrom({ ...remoteAt(http.url), credentials });
    const lines = await commandLines();
    await fetching;
    await expectFetched();
    expect(lines).toContain(http.url);
    expect(lines).not.toContain(basic);

    target = await workshop.emptyRepository();
    expect(await failureOf(target.fetchFrom(remoteAt(http.url)))).toBe('unauthorized');
    const wrong = { user: 'zoë', password: 'hunter2' };
    const error = await target
      .fetchFrom({ ...remoteAt(http.url), credentials: wrong })
      .catch((reason: unknown) => reason);
    expect(error).toMatchObject({ reason: 'unauthorized' });
    expect(JSON.stringify([error, String(error), (error as Error).stack])).not.toMatch(
      /hunter2|You said|emo6/,
    );
  });

  it('distinguishes temporary and permanent failures', async () => {
    const fetch = () => failureOf(target.fetchFrom(remoteAt(http.url)));
    http.refusal = { status: 404 };
    expect(await fetch()).toBe('not-found');
    http.refusal = { status: 503 };
    expect(await fetch()).toBe('unreachable');
    http.refusal = { status: 302, headers: { Location: 'http://127.0.0.1:1/y.git' } };
    expect(await fetch()).toBe('redirected');
    http.refusal = { status: 301, headers: { Location: `${http.url}/` } };
    expect(await fetch()).toBe('redirected');
    http.refusal = { status: 200, headers: { 'Content-Type': 'text/html' } };
    expect(await fetch()).toBe('unsupported');
    expect(await failureOf(target.fetchFrom(remoteAt('http://127.0.0.1:1/x.git')))).toBe(
      'unreachable',
    );
    expect(new RemoteError('unreachable').passes).toBe(true);
    expect(new RemoteError('redirected').passes).toBe(false);
  });

  it('rejects servers of the dumb protocol', async () => {
    await inSource('update-server-info');
    const server = createServer((request, response) => {
      const path = (request.url ?? '').split('?')[0]?.replace('/x.git', source.path) ?? '';
      readFile(path).then(
        (bytes) => response.end(bytes),
        () => response.writeHead(404).end(),
      );
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const fetching = target.fetchFrom(remoteAt(`http://127.0.0.1:${port}/x.git`));
    expect(await failureOf(fetching)).toBe('unsupported');
    server.close();
  });

  it('rejects malformed and shallow repositories', async () => {
    const bad = await workshop.repository(line(2));
    const tree = await git(['rev-parse', 'master^{tree}'], { cwd: bad.path });
    const text = `tree ${tree}\nauthor Ada <ada@example.com 1 +0000\ncommitter x <y> 1 +0000\n\nx\n`;
    const commit = await git(['hash-object', '-t', 'commit', '-w', '--literally', '--stdin'], {
      cwd: bad.path,
      input: text,
    });
    await git(['update-ref', 'refs/heads/bad', commit], { cwd: bad.path });
    const host = await HttpHost.open(bad);
    expect(await failureOf(target.fetchFrom(remoteAt(host.url)))).toBe('invalid-objects');
    await host.close();

    const shallow = await workshop.clone(`file://${source.path}`, '--depth=1', '--bare');
    const shallowHost = await HttpHost.open(workshop.git.repository(shallow));
    expect(await failureOf(target.fetchFrom(remoteAt(shallowHost.url)))).toBe('shallow');
    await shallowHost.close();
  });

  it('times out, and stops on abort', async () => {
    const silent = createServer(() => undefined);
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const remote = remoteAt(`http://127.0.0.1:${(silent.address() as AddressInfo).port}/x.git`);
    expect(await failureOf(target.fetchFrom(remote, { timeoutMs: 300 }))).toBe('too-long');
    const stop = new AbortController();
    const asked = once(silent, 'request');
    const fetching = target.fetchFrom(remote, { signal: stop.signal });
    await asked;
    stop.abort(new Error('enough'));
    await expect(fetching).rejects.toThrow('enough');
    await expectNothingAside();
    silent.closeAllConnections();
    silent.close();
  });

  it('refuses invalid addresses', async () => {
    const addresses = [
      `http://zoe:${SECRET}@127.0.0.1/x.git`,
      'http://127.0.0.1/x.git?private_token=1',
      'http://127.0.0.1/x.git#y',
      'file:///etc',
      'ext::sh -c true',
      'ssh://-oProxyCommand=true/x.git',
      'ssh://a b/x.git',
      'http://127.0.0.1/x\n.git',
      '/etc',
      '--upload-pack=true',
      'http://127.0.0.1',
    ];
    for (const address of addresses) {
      await expect(target.fetchFrom(remoteAt(address))).rejects.toMatchObject({
        code: 'invalid-argument',
      });
    }
    const nowhere = { address: http.url, pinned: [] };
    await expect(target.fetchFrom(nowhere)).rejects.toMatchObject({ code: 'invalid-argument' });
  });
});

/** The command lines of all processes, as everybody on the machine may see them. */
async function commandLines(): Promise<string> {
  const seen: string[] = [];
  for (let n = 0; n < 10; n += 1) {
    const { stdout } = await promisify(execFile)('ps', ['-eo', 'args']);
    seen.push(stdout);
  }
  return seen.join('\n');
}
