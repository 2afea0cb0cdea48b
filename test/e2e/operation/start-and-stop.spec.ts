/** @operation */
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createDatabase, type TestDatabase } from '../../support/database.js';
import { ServiceProcess } from '../../support/service-process.js';
import { until } from '../../support/until.js';

jest.setTimeout(120_000);

/** A line of a stack, alone or in an entry of the log. */
const STACK = /^\s+at |"stack":/m;
/** An entry of the log that is a warning or an error. */
const WARNING = /"level":[456]0/;
const DEAD = 'postgres://trellis@127.0.0.1:1/trellis';
/** Reserved for documents, so that no machine has it. */
const FOREIGN_ADDRESS = '192.0.2.7';

describe('a process that cannot start', () => {
  let folder: string;
  let database: TestDatabase;

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'trellis-start-'));
    database = await createDatabase();
  });
  afterAll(async () => {
    await database.drop();
    await rm(folder, { recursive: true, force: true, maxRetries: 10 });
  });

  async function failingStart(role: string, env: Record<string, string>): Promise<string> {
    const service = ServiceProcess.start(role, { DATA_DIR: folder, ...env });
    expect(await service.ended).toEqual({ code: 1, signal: null });
    expect(service.output).not.toMatch(STACK);
    return service.output;
  }

  it('explains without a stack trace that the database cannot be reached', async () => {
    const output = await failingStart('worker', { DATABASE_URL: DEAD });
    expect(output).toBe('The database cannot be reached: connect ECONNREFUSED 127.0.0.1:1\n');
  });

  it('warns of unknown variables in .env before it reports an unreachable database', async () => {
    const cwd = await mkdtemp(path.join(folder, 'cwd-'));
    await writeFile(path.join(cwd, '.env'), `PORTT=1\nSECRET_KEY_FILE=\nDATABASE_URL=${DEAD}\n`);
    const service = ServiceProcess.start('all', { DATA_DIR: folder }, { cwd });
    expect(await service.ended).toEqual({ code: 1, signal: null });
    expect(service.output).toBe(
      '.env sets PORTT, which is no variable of Trellis\n' +
        'The database cannot be reached: connect ECONNREFUSED 127.0.0.1:1\n',
    );
  });

  it.each([
    ['api', { SSH_PORT: '0' }],
    ['worker', { METRICS_PORT: '0', METRICS_TOKEN: 'a-token-of-32-characters-or-more' }],
  ])('stops in order when HOST is not an address of this machine: %s', async (role, env) => {
    const settings = { DATABASE_URL: database.url, HOST: FOREIGN_ADDRESS, ...env };
    const output = await failingStart(role, settings);
    expect(output).toContain(
      `This machine has no address ${FOREIGN_ADDRESS}: set HOST to one that it has`,
    );
  });

  it('explains without a stack trace that HOST cannot be resolved', async () => {
    const output = await failingStart('api', {
      DATABASE_URL: database.url,
      HOST: 'nobody.invalid',
    });
    expect(output).toContain('There is no host nobody.invalid');
  });
});

describe('a first start that is interrupted', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'trellis-interrupted-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true, maxRetries: 10 }));

  it.each([
    ['the database is made', () => until(async () => existsSync(path.join(folder, 'trellis.pid')))],
    ['migrations run', (service: ServiceProcess) => service.says(/A migration begins/)],
    ['it begins to serve', (service: ServiceProcess) => service.says(/The administrator of/)],
  ])('stops in order while %s', async (_, moment) => {
    const service = ServiceProcess.start('all', { DATA_DIR: folder });
    await moment(service);
    expect(await service.kill('SIGINT')).toEqual({ code: 0, signal: null });
    expect(service.output).not.toMatch(STACK);
    expect(service.output).not.toMatch(WARNING);
    expect(service.output).not.toContain('failed');
    const left = await readdir(folder);
    expect(left.filter((name) => /^(?:trellis\.pid|postgres\.init-)/.test(name))).toEqual([]);
    expect(existsSync(path.join(folder, 'postgres', 'postmaster.pid'))).toBe(false);
  });

  // npm passes on Ctrl-C, which the terminal sends to the service as well.
  it('treats a signal that is repeated at once as one', async () => {
    const service = ServiceProcess.start('all', { DATA_DIR: folder });
    await service.url();
    const ended = service.kill('SIGINT');
    await service.says(/SIGINT: finishing/);
    void service.kill('SIGINT');
    expect(await ended).toEqual({ code: 0, signal: null });
    expect(service.output).toContain('Stopped');
    expect(service.output).not.toMatch(STACK);
    expect(service.output).not.toMatch(WARNING);
  });
});
