/** @operation */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { evaluate, type Outcome, ROOT, runNode } from './script-modules.js';

const SUPPORT = join(ROOT, 'test/support/profile');

interface Figures {
  count: number;
  wallMs: number;
  cpuMs: number;
}

interface Suite {
  suite: string;
  isShared: boolean;
  wallMs: number;
  cpuMs: number;
  waitingMs: number;
  figures: {
    activities: Record<string, Figures>;
    programs: Record<string, Figures>;
    connections: number;
  };
  tests: { name: string; failed: boolean; waitingMs: number }[];
}

const call = (module: string, name: string, ...args: unknown[]): Promise<unknown> =>
  evaluate(`scripts/profile/${module}.mjs`, `module.${name}(...${JSON.stringify(args)})`);

/** A few suites in a folder of their own, run with the environment and the reporter of profiled runs. */
class SmallProject {
  private constructor(private readonly folder: string) {}

  static async create(files: Record<string, string>): Promise<SmallProject> {
    const folder = await mkdtemp(join(tmpdir(), 'trellis-profiled-'));
    for (const [name, text] of Object.entries(files)) {
      await mkdir(join(folder, name, '..'), { recursive: true });
      await writeFile(join(folder, name), text);
    }
    return new SmallProject(folder);
  }

  async profile(...args: string[]): Promise<Outcome & { suites: Map<string, Suite> }> {
    const config = {
      rootDir: this.folder,
      testMatch: ['<rootDir>/*.spec.ts'],
      testEnvironment: join(SUPPORT, 'environment.mjs'),
      reporters: [join(SUPPORT, 'reporter.mjs')],
      transform: {},
      maxWorkers: 2,
    };
    const script = ['scripts/test-profile.mjs', '--config', JSON.stringify(config), ...args];
    const outcome = await runNode(script);
    return { ...outcome, suites: await this.takeSuites(outcome) };
  }

  remove(): Promise<void> {
    return rm(this.folder, { recursive: true });
  }

  /** Reads what was written for a run, and removes it. */
  private async takeSuites({ said }: Outcome): Promise<Map<string, Suite>> {
    const [, report] = /written to (profile\/\S+)\.txt/.exec(said) ?? [];
    if (report === undefined) return new Map();
    const text = await readFile(join(ROOT, `${report}.jsonl`), 'utf8');
    await rm(join(ROOT, `${report}.jsonl`));
    await rm(join(ROOT, `${report}.txt`));
    const suites = text.trimEnd().split('\n');
    return new Map(
      suites.map((line) => {
        const suite = JSON.parse(line) as Suite;
        return [suite.suite.replace(/^.*\//, ''), suite];
      }),
    );
  }
}

const PASSES = `
  const { execFileSync, execFile } = require('node:child_process');
  const run = (...args) => new Promise((settle) => execFile(...args, settle));
  describe('This', () => {
    it('runs git and Node', async () => {
      await run('git', ['--version']);
      await run('git', ['--version']);
      await run(process.execPath, ['--version']);
      execFileSync('true');
    });
  });
`;
const REQUESTS = `
  const { createServer, get } = require('node:http');
  const { once } = require('node:events');
  describe('This', () => {
    it('sends requests', async () => {
      const server = createServer((request, response) => response.end('x')).listen(0, '127.0.0.1');
      await once(server, 'listening');
      const url = 'http://127.0.0.1:' + server.address().port;
      for (const path of ['/api/v3/one', '/elsewhere', '/api/v3/two']) {
        const [response] = await once(get(url + path, { agent: false }), 'response');
        await once(response.resume(), 'close');
      }
      await (await fetch(url + '/api/v3/three')).text();
      server.closeAllConnections();
      server.close();
    });
  });
`;
const FAILS = `describe('This', () => { it('fails', () => { throw new Error('as it should'); }); });`;
const NOT_LOADED = `throw new Error('not to be loaded');`;
const DIES = `describe('This', () => { it('dies', () => { process.kill(process.pid, 'SIGKILL'); }); });`;
const BATCH = `require('./suites/one.spec.ts'); require('./suites/two.spec.ts');`;

const sumOf = ({ figures: { activities } }: Suite, figure: 'wallMs' | 'cpuMs'): number =>
  Object.values(activities).reduce((sum, figures) => sum + figures[figure], 0);

describe('A profiled run', () => {
  let project: SmallProject;

  afterEach(async () => {
    await project.remove();
  });

  it('divides the time of each suite, and counts what it starts and sends', async () => {
    project = await SmallProject.create({
      ...{ 'passes.spec.ts': PASSES, 'requests.spec.ts': REQUESTS, 'batch.spec.ts': BATCH },
      ...{ 'suites/one.spec.ts': PASSES, 'suites/two.spec.ts': REQUESTS },
    });
    const { code, said, suites } = await project.profile();
    expect({ code, said }).toMatchObject({ code: 0 });
    expect([...suites.keys()].sort()).toEqual(
      ['batch', 'one', 'passes', 'requests', 'two'].map((name) => `${name}.spec.ts`),
    );
    for (const suite of suites.values()) {
      expect(suite.wallMs).toBeCloseTo(sumOf(suite, 'wallMs'));
      expect(suite.cpuMs).toBeGreaterThanOrEqual(sumOf(suite, 'cpuMs'));
      expect(suite.waitingMs).toBeLessThanOrEqual(suite.wallMs);
      expect(suite.isShared).toBe(suite.suite.endsWith('batch.spec.ts'));
    }
    for (const name of ['passes.spec.ts', 'one.spec.ts']) {
      expect(suites.get(name)?.figures.programs).toMatchObject({
        gitOfTests: { count: 2 },
        gitOfService: { count: 0, cpuMs: 0 },
        node: { count: 1 },
      });
    }
    for (const name of ['requests.spec.ts', 'two.spec.ts']) {
      expect(suites.get(name)?.figures).toMatchObject({
        activities: { requests: { count: 3 }, git: { count: 0, wallMs: 0 } },
        connections: 2,
      });
    }
    expect(suites.get('one.spec.ts')?.figures.activities['loading']?.wallMs).toBe(0);
    expect(suites.get('batch.spec.ts')?.figures.activities['loading']?.wallMs).toBeGreaterThan(0);
    expect(said).toContain('4 suites in ');
  });

  it('names suites that fail, that cannot be loaded and whose process ends', async () => {
    project = await SmallProject.create({
      ...{ 'passes.spec.ts': PASSES, 'fails.spec.ts': FAILS },
      ...{ 'not-loaded.spec.ts': NOT_LOADED, 'dies.spec.ts': DIES },
    });
    const { code, said, suites } = await project.profile();
    expect(code).toBe(1);
    expect([...suites.keys()].sort()).toEqual(
      ['fails', 'not-loaded', 'passes'].map((name) => `${name}.spec.ts`),
    );
    expect(suites.get('fails.spec.ts')?.tests).toMatchObject([
      { name: 'This fails', failed: true },
    ]);
    expect(said).toMatch(/Not measured[^\n]*:\n\S*dies\.spec\.ts\n/);
    const [, failed = ''] = /\nFailed:\n((?:.+\n)+)/.exec(said) ?? [];
    expect(failed.trimEnd().split('\n').sort()).toEqual([
      expect.stringMatching(/dies\.spec\.ts$/),
      expect.stringMatching(/fails\.spec\.ts$/),
      expect.stringMatching(/not-loaded\.spec\.ts$/),
    ]);
  });

  it('fails when no suite is chosen', async () => {
    project = await SmallProject.create({ 'passes.spec.ts': PASSES });
    const { code, said, suites } = await project.profile('no-such-suite');
    expect({ code, suites: suites.size }).toEqual({ code: 1, suites: 0 });
    expect(said).toContain('No suite was run, so there is nothing to report.');
  });
});

describe('The summary of a profiled run', () => {
  const NOTHING = { count: 0, wallMs: 0, cpuMs: 0 };
  const figures = (wallMs: number, cpuMs: number, git: number) => ({
    activities: { loading: { ...NOTHING, wallMs }, other: { ...NOTHING, wallMs, cpuMs } },
    programs: { gitOfTests: { count: 1, cpuMs: git } },
    connections: 1,
  });
  const record = (values: object) => ({
    ...{ file: 'a.spec.ts', suite: 'a.spec.ts', onRedis: false, process: 7 },
    ...{ begin: 1_000, end: 2_000, figures: figures(500, 100, 30), databases: [], tests: [] },
    ...values,
  });
  const interval = (begin: number, processMs: number, databaseMs = 0, server = 0) => ({
    ...{ begin, end: begin + 100, processes: { 7: processMs }, databases: { test_1: databaseMs } },
    server,
  });
  const summarize = async (records: object[], intervals: object[]) =>
    (await call('summary', 'summarizeSuites', records, intervals, { test_1: 40 })) as Suite[];

  it('sums the time of a suite, its programs and its databases, and parts of one suite', async () => {
    const parts = [record({ databases: ['test_1'] }), record({ begin: 3_000, end: 4_000 })];
    const others = [record({ onRedis: true }), record({ suite: 'b.spec.ts' })];
    const suites = await summarize([...parts, ...others], []);
    expect(suites).toMatchObject([
      { suite: 'a.spec.ts', onRedis: false, wallMs: 2_000, cpuMs: 300, serverMs: 40 },
      { suite: 'a.spec.ts', onRedis: true, wallMs: 1_000, cpuMs: 130, serverMs: 0 },
      { suite: 'b.spec.ts', onRedis: false, wallMs: 1_000, cpuMs: 130, serverMs: 0 },
    ]);
    expect(suites[0]?.figures).toMatchObject({
      connections: 2,
      programs: { gitOfTests: { count: 2 } },
    });
  });

  it('counts the idle time of the process and its databases as waiting', async () => {
    const intervals = [
      ...[interval(1_000, 100), interval(1_100, 0), interval(1_200, 30, 20, 10)],
      ...[interval(1_300, 90, 90), interval(1_400, 0)],
    ];
    const tests = [{ name: 'x', begin: 1_150, end: 1_250, failed: false }];
    const whole = { begin: 1_000, end: 1_450, tests };
    const [suite] = await summarize([record({ ...whole, databases: ['test_1'] })], intervals);
    expect(suite).toMatchObject({ waitingMs: 100 + 40 + 50, tests: [{ waitingMs: 50 + 20 }] });
    const [other] = await summarize([record(whole)], intervals);
    expect(other).toMatchObject({ waitingMs: 100 + 60 + 10 + 50 });
  });
});
