/** @operation */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { runCommand } from '../../support/commands.js';
import { explanationOf } from '../../../src/cli/explained-errors.js';
import { createDatabase, type TestDatabase } from '../../support/database.js';
import { ServiceProcess } from '../../support/service-process.js';

jest.setTimeout(120_000);

/** Times the processor time of Node alone that a command may take; with Nest it would be 30. */
const MOST_TIMES_NODE = 10;
/** Packages that take longer to load than the commands that ask the database alone may. */
const HEAVY = /\/node_modules\/(?:@nestjs\/|typeorm\/|bullmq\/)/;

describe('the command line', () => {
  let folder: string;
  let database: TestDatabase;

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'trellis-command-line-'));
    database = await createDatabase();
  });

  afterAll(async () => {
    await database.drop();
    await rm(folder, { recursive: true, force: true, maxRetries: 10 });
  });

  /** Runs a command to its end; returns its exit code and what it printed. */
  async function trellis(args: readonly string[], env: Record<string, string> = {}) {
    const process = ServiceProcess.run(args, { DATA_DIR: folder, ...env });
    const { code } = await process.ended;
    return { code, output: process.output };
  }

  /** Has a process note the modules that it loads, and its processor time beside them. */
  const noting = (modules: string): Record<string, string> => ({
    NODE_OPTIONS: `--import=${path.resolve('test/support/note-modules.mjs')}`,
    NOTED_MODULES: modules,
    NOTED_CPU: `${modules}-cpu`,
  });
  const notedCpu = async (modules: string) => Number(await readFile(`${modules}-cpu`, 'utf8'));

  /** Rows of the database. */
  async function rows<Row extends pg.QueryResultRow>(sql: string, values: unknown[] = []) {
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    try {
      return (await client.query<Row>(sql, values)).rows;
    } finally {
      await client.end();
    }
  }

  it('lists its commands, and the options of each', async () => {
    const { code, output } = await trellis(['--help']);
    expect(code).toBe(0);
    const commands = [...output.matchAll(/^ {2}([a-z-]+)(?= \[| )/gm)].map(([, name]) => name);
    expect(commands).toEqual(expect.arrayContaining(['start', 'migrate', 'replay']));
    for (const name of commands) {
      const help = await runCommand([name ?? '', '--help'], {});
      expect(help).toMatchObject({
        code: 0,
        output: expect.stringContaining(`Usage: trellis ${name}`) as string,
      });
    }
  });

  it.each([
    [['nothing'], "error: unknown command 'nothing'"],
    [['start', 'everything'], 'Allowed choices are all, api, worker'],
    [['migrate', '--all'], "error: unknown option '--all'"],
    [['replay'], "error: required option '--from <time>' not specified"],
    [['replay', '--from', 'yesterday'], '--from takes a time such as 2030-01-31T08:00:00Z'],
  ])('refuses wrong arguments with 2: %j', async (args, problem) => {
    const { code, notes } = await runCommand(args, { DATA_DIR: folder });
    expect(notes).toContain(problem);
    expect(notes).not.toMatch(/\n\s+at /);
    expect(code).toBe(2);
  });

  it.each([
    // Its folder has no repositories.
    [['status'], 3],
    [['user', 'list', '--search', 'a'], 0],
    [['audit', '--action', 'user.created', '--json'], 0],
    [['migrate', '--plan'], 0],
    [['config'], 0],
    [['replay', '--from', 'yesterday'], 2],
    [['backup', '--to', 'a.zip'], 2],
  ])('runs without loading Nest, TypeORM or the queues: %j', async (args, expected) => {
    const modules = path.join(folder, `modules-${args.join('-')}`);
    const { code } = await trellis(args, { DATABASE_URL: database.url, ...noting(modules) });
    expect(code).toBe(expected);
    const loaded = (await readFile(modules, 'utf8')).trim().split('\n');
    expect(loaded.length).toBeGreaterThan(20);
    expect(loaded.filter((url) => HEAVY.test(url))).toEqual([]);
    const bare = path.join(folder, 'modules-of-node');
    await promisify(execFile)(process.execPath, ['--eval', '0'], { env: noting(bare) });
    expect(await notedCpu(modules)).toBeLessThan(MOST_TIMES_NODE * (await notedCpu(bare)));
  });

  it.each([
    [['user', 'list', '--limit', '0'], 'It takes a number above 0.'],
    [['audit', '--action', 'nothing'], '--action takes one of'],
    [['audit', '--since', 'yesterday'], '--since takes a time'],
    [['fsck'], 'name projects by path or id, or add --all'],
    [['housekeeping', 'a/b', '--all'], 'name projects by path or id, or add --all'],
    [['user', 'reset-password', 'ada'], 'add --password-stdin or --random-password'],
    [['rotate-secret', '--new-key-file', 'absent'], '--new-key-file is for SECRET_KEY'],
    [['import', 'server', 'https://git.example.com', '--token-file', 'absent'], 'has no token'],
    [['import', 'repositories', 'absent'], 'absent'],
    [['backup', '--to', 'a.zip'], '--to takes a directory'],
  ])('checks arguments before it opens anything: %j', async (args, problem) => {
    // Opening would end with another error: there is no service.
    const { code, notes } = await runCommand(args, { DATA_DIR: path.join(folder, 'absent') });
    expect(notes).toContain(problem);
    expect(notes).not.toContain('There is no service');
    expect(code).toBe(2);
  });

  it('lists the settings in force', async () => {
    const { code, output } = await trellis(['config', '--json'], { LOG_LEVEL: 'debug' });
    expect(JSON.parse(output)).toEqual(
      expect.arrayContaining([
        { name: 'LOG_LEVEL', value: 'debug', source: 'environment' },
        { name: 'STATUS_PROFILE', value: 'spec', source: 'default' },
      ]),
    );
    expect(code).toBe(0);
    const refused = await trellis(['config'], { LOG_LEVEL: 'loud' });
    expect(refused.output).toContain('LOG_LEVEL="loud", allowed: one of fatal');
    expect(refused.code).toBe(2);
  });

  it('fails without a service, and creates none', async () => {
    const data = path.join(folder, 'absent');
    const { code, notes } = await runCommand(['migrate', '--plan'], { DATA_DIR: data });
    expect(notes).toContain(`There is no service in ${data}`);
    expect(code).toBe(1);
  });

  it('does not wait for an unresponsive database', async () => {
    const silent = createServer().listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    const DATABASE_URL = `postgres://a:b@127.0.0.1:${port}/c`;
    const { code, output } = await trellis(['user', 'list'], { DATABASE_URL });
    silent.close();
    expect({ code, output }).toEqual({
      code: 1,
      output: `The database cannot be reached: no answer from 127.0.0.1:${port}\n`,
    });
  });

  it('reports a port that is in use', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const refused = createServer().listen(port, '127.0.0.1');
    const error: unknown = await new Promise((resolve) => refused.once('error', resolve));
    other.close();
    expect(explanationOf(error)).toBe(
      `Another program listens on port ${port} of 127.0.0.1: end it, or set PORT or SSH_PORT to another port.`,
    );
  });

  it('plans migrations without applying any', async () => {
    const env = { DATABASE_URL: database.url };
    const plan = await runCommand(['migrate', '--plan', '--json'], env);
    expect(JSON.parse(plan.output)).toEqual({ pending: [] });
    const last = 'SELECT name FROM migrations ORDER BY timestamp DESC LIMIT 1';
    const [{ name } = { name: '' }] = await rows<{ name: string }>(last);
    await rows('DELETE FROM migrations WHERE name = $1', [name]);
    const pending = await runCommand(['migrate', '--plan', '--json'], env);
    expect(JSON.parse(pending.output)).toEqual({ pending: [name] });
    expect(await rows('SELECT 1 FROM migrations WHERE name = $1', [name])).toEqual([]);
  });
});
