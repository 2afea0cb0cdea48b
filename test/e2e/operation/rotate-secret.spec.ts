/** @operation */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import pg from 'pg';
import { pino } from 'pino';
import { DataSource, type QueryRunner } from 'typeorm';
import { dataSourceOptions } from '../../../ormconfig.js';
import { checkSecretKey } from '../../../src/cli/doctor/key-checks.js';
import { openKeyFiles } from '../../../src/cli/maintenance/instance-keys.js';
import { KeyRotation } from '../../../src/cli/maintenance/key-rotation.js';
import { withModules } from '../../../src/cli/open.js';
import { AuthenticationService } from '../../../src/modules/users/index.js';
import { loadConfig } from '../../../src/platform/config/index.js';
import { Secrets, WrongKeyError } from '../../../src/platform/secrets/index.js';
import { createContext } from '../../../src/bootstrap/application.js';
import { openGround } from '../../../src/bootstrap/ground.js';
import { runCommand } from '../../support/commands.js';
import { createDatabase, type TestDatabase } from '../../support/database.js';
import { Factories, type MadeProject, type Person } from '../../support/factories.js';
import { until } from '../../support/until.js';

jest.setTimeout(60_000);

/** One row of every kind of secret: tokens of accounts, runners, hooks, and logins of hooks and imports. */
const SECRETS = `
  SELECT private_token_sealed AS sealed FROM users
  UNION ALL SELECT runners_token_sealed FROM projects
  UNION ALL SELECT token_sealed FROM hooks
  UNION ALL SELECT password_sealed FROM hooks
  UNION ALL SELECT credentials_sealed FROM project_imports`;

describe('trellis rotate-secret', () => {
  let database: TestDatabase;
  let folder: string;
  let env: Record<string, string>;
  let ada: Person;
  let project: MadeProject;

  beforeAll(async () => {
    database = await createDatabase();
    folder = await mkdtemp(path.join(tmpdir(), 'trellis-rotation-'));
    env = { DATA_DIR: folder, DATABASE_URL: database.url };
    await withInstance(async (app) => {
      const factories = new Factories(app);
      ada = await factories.user();
      project = await factories.project(ada);
      const secrets = app.get(Secrets);
      await query(
        `INSERT INTO hooks (project_id, url, token_sealed, password_sealed) VALUES ($1, 'http://a', $2, $3)`,
        [project.id, secrets.seal('hook token'), secrets.seal('hook password')],
      );
      await query(
        `INSERT INTO project_imports (project_id, user_id, address, credentials_sealed) VALUES ($1, $2, 'http://a', $3)`,
        [project.id, ada.user.id, secrets.seal('{"username":"ada"}')],
      );
    });
  });

  afterAll(async () => {
    await database.drop();
    await rm(folder, { recursive: true, force: true });
  });

  type App = Parameters<Parameters<typeof withModules>[1]>[0];

  function withInstance<T>(work: (app: App) => Promise<T>, more = {}): Promise<T> {
    const config = loadConfig({ ...env, ...more });
    return withModules({ config, databaseUrl: database.url }, (app) => work(app));
  }

  async function query<Row extends pg.QueryResultRow>(
    sql: string,
    parameters: unknown[] = [],
  ): Promise<Row[]> {
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    try {
      return (await client.query<Row>(sql, parameters)).rows;
    } finally {
      await client.end();
    }
  }

  /** Opens a session as the service does. */
  function session(url = database.url): Promise<DataSource> {
    const settings = { url, poolSize: 1, statementTimeoutMs: 5_000 };
    return new DataSource(dataSourceOptions(settings)).initialize();
  }

  /** Whether another session has asked at least once which sessions there are. */
  async function hasCountedSessions(source: DataSource): Promise<boolean> {
    const sessions = await source.query<unknown[]>(
      `SELECT FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid()
          AND query LIKE '%FROM pg_stat_activity%'`,
    );
    return sessions.length > 0;
  }

  async function isLockAwaited(runner: QueryRunner): Promise<boolean> {
    const locks: unknown[] = await runner.query(
      `SELECT FROM pg_locks JOIN pg_database d ON d.oid = database
        WHERE d.datname = current_database() AND locktype = 'advisory' AND NOT granted`,
    );
    return locks.length > 0;
  }

  /** Whether the service, as it would start now, knows all tokens and opens all secrets. */
  async function expectKeyFits(more: Record<string, string> = {}): Promise<void> {
    const rows = await query<{ sealed: string }>(SECRETS);
    expect(rows).toHaveLength(5);
    await withInstance(async (app) => {
      const secrets = app.get(Secrets);
      const plain = rows.map(({ sealed }) => secrets.open(sealed));
      expect(plain).toEqual(
        expect.arrayContaining(['hook token', 'hook password', '{"username":"ada"}']),
      );
      const authentication = app.get(AuthenticationService);
      const found = await authentication.findByToken(ada.token);
      expect(found?.id).toBe(ada.user.id);
      expect(found && authentication.privateToken(found)).toBe(ada.token);
    }, more);
  }

  /** Whether the key on the disk is that of all tokens and secrets, as it is after a run that changed nothing. */
  async function expectKeyKept(): Promise<void> {
    const { current } = await openKeyFiles(folder);
    const rows = await query<{ sealed: string }>(SECRETS);
    const plain = rows.map(({ sealed }) => current.open(sealed));
    expect(plain).toEqual(expect.arrayContaining([ada.token, 'hook token', 'hook password']));
    const users = await query('SELECT private_token_digest AS digest FROM users');
    expect(users).toContainEqual({ digest: current.digest(ada.token) });
  }

  const key = (name = 'secret.key') => readFile(path.join(folder, name), 'utf8');
  const rotate = (...args: string[]) => runCommand(['rotate-secret', ...args], env);
  const checked = () => checkSecretKey(loadConfig(env), database.url);

  it('encrypts and digests all secrets again', async () => {
    await expectKeyFits();
    const before = await key();
    const { code, output } = await rotate();
    expect(output).toMatch(/^The key was replaced\. .*secret\.key\.until-\S+ opens older backups/);
    expect(code).toBe(0);
    expect(await key()).not.toBe(before);
    const previous = (await readdir(folder)).find((name) => name.startsWith('secret.key.until-'));
    expect(await key(previous)).toBe(before);
    await expectKeyFits();
    const entries = await query(
      `SELECT author_name FROM audit_events WHERE action = 'secret_key.rotated'`,
    );
    expect(entries).toEqual([{ author_name: 'command line' }]);
  });

  it('is completed by a second run after a kill at any point', async () => {
    const before = await key();
    // Killed before the commit: the new key is on the disk, the database has the old one.
    await writeFile(path.join(folder, 'secret.key.next'), `${'n'.repeat(64)}\n`);
    expect(await checked()).toMatchObject({
      state: 'problem',
      detail: expect.stringContaining('was interrupted') as string,
    });
    expect((await rotate()).code).toBe(0);
    expect(await key()).toBe(`${'n'.repeat(64)}\n`);
    await expectKeyKept();
    // Killed after the commit: the database has the new key, the file the old one.
    await cp(path.join(folder, 'secret.key'), path.join(folder, 'secret.key.next'));
    await writeFile(path.join(folder, 'secret.key'), before);
    expect((await rotate()).code).toBe(0);
    await expectKeyFits();
    expect(await checked()).toMatchObject({ state: 'ok' });
  });

  it('refuses while the service uses the database, and changes nothing', async () => {
    const before = await key();
    const end = await withInstance(() => rotate());
    expect(end.failure).toContain('stop all its processes first');
    await expect(key('secret.key.next')).rejects.toThrow('ENOENT');
    expect(await key()).toBe(before);
    await expectKeyKept();
  });

  it('waits for sessions that are ending', async () => {
    const source = await session();
    const ending = until(() => hasCountedSessions(source)).then(() => source.destroy());
    expect((await rotate()).code).toBe(0);
    await ending;
    await expectKeyKept();
  });

  it('detects a process that has started meanwhile', async () => {
    const { current } = await openKeyFiles(folder);
    let source: DataSource | undefined;
    const startMeanwhile = async (): Promise<Secrets> => {
      source = await session();
      return new Secrets(randomBytes(32));
    };
    const rotation = KeyRotation.with(database.url, (opened) =>
      opened.reencrypt(current, startMeanwhile, () => undefined),
    );
    await expect(rotation).rejects.toThrow('stop all its processes first');
    await source?.destroy();
    await expectKeyKept();
  });

  it('detects a service whose sessions have another name', async () => {
    const url = new URL(database.url);
    url.searchParams.set('application_name', 'forge');
    const source = await session(url.href);
    const end = await runCommand(['rotate-secret'], { ...env, DATABASE_URL: url.href });
    await source.destroy();
    expect(end.failure).toContain('stop all its processes first');
    await expectKeyKept();
  });

  it('keeps its key while another run fails', async () => {
    const lock = await session(`${database.url}?application_name=test`);
    const runner = lock.createQueryRunner();
    await runner.startTransaction();
    await runner.query('SELECT pg_advisory_xact_lock($1)', [7_265_001]);
    const waiting = rotate();
    await until(() => isLockAwaited(runner));
    // The other run.
    await (await openKeyFiles(folder)).abandon();
    await runner.commitTransaction();
    await lock.destroy();
    expect((await waiting).code).toBe(0);
    await expectKeyKept();
  });

  it('refuses a new SECRET_KEY that is invalid or already in force', async () => {
    const configured = { ...env, SECRET_KEY: (await key()).trim() };
    const file = path.join(folder, 'unusable-key');
    for (const content of ['n'.repeat(1_025), configured.SECRET_KEY]) {
      await writeFile(file, `${content}\n`);
      const end = await runCommand(['rotate-secret', '--new-key-file', file], configured);
      expect(end).toMatchObject({ failure: expect.stringContaining(file) as string });
    }
    await expectKeyKept();
  });

  it('prevents writes of commands with another key', async () => {
    const elsewhere = { ...env, DATA_DIR: path.join(folder, 'elsewhere') };
    const end = await runCommand(['user', 'reset-token', ada.user.username], elsewhere);
    expect(end.failure).toContain('is not the key this database was made with');
    await expectKeyKept();
  });

  it('refuses to run as another account', async () => {
    const own = process.getuid?.() ?? 0;
    const account = jest.spyOn(process, 'getuid').mockReturnValue(own + 1);
    const end = await rotate().finally(() => account.mockRestore());
    expect(end.failure).toContain('run this command as that account');
    await expect(key('secret.key.next')).rejects.toThrow('ENOENT');
  });

  it('prevents the start of workers with another key', async () => {
    const worker = spawn(process.execPath, [path.resolve('dist/src/main.js'), 'start', 'worker'], {
      env: { PATH: process.env['PATH'], ...env, SECRET_KEY: 'w'.repeat(40) },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const ended = once(worker, 'exit');
    expect(await text(worker.stderr)).toContain('is not the key this database was made with');
    expect(await ended).toEqual([1, null]);
    const config = loadConfig({ ...env, SECRET_KEY: 'w'.repeat(40) });
    const umask = process.umask(0o077);
    const ground = await openGround(config, database.url, pino({ level: 'silent' }));
    try {
      await expect(createContext(ground, { runsJobs: true })).rejects.toThrow(WrongKeyError);
    } finally {
      await ground.git.close();
      // As the end of the process would.
      process.umask(umask);
      await query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
          WHERE datname = current_database() AND pid <> pg_backend_pid()`,
      );
    }
  });

  it('changes nothing when a secret cannot be decrypted, and refuses a wrong key', async () => {
    const [hook] = await query<{ tokenSealed: string }>(
      'SELECT token_sealed AS "tokenSealed" FROM hooks',
    );
    await query(`UPDATE hooks SET token_sealed = 'damaged'`);
    expect((await rotate()).failure).toMatch(/does not open hooks\.token_sealed of row \d+/);
    await query('UPDATE hooks SET token_sealed = $1', [hook?.tokenSealed]);
    await expectKeyKept();
    const right = await key();
    await writeFile(path.join(folder, 'secret.key'), 'w'.repeat(64));
    expect((await rotate()).failure).toContain('is not the key this database was made with');
    await expect(key('secret.key.next')).rejects.toThrow('ENOENT');
    await writeFile(path.join(folder, 'secret.key'), right);
  });

  it('reads a new SECRET_KEY from a file', async () => {
    const current = (await key()).trim();
    const file = path.join(folder, 'new-key');
    await writeFile(file, `${'m'.repeat(40)}\n`);
    expect((await rotate('--new-key-file', file)).failure).toContain('which is not set');
    const configured = { ...env, SECRET_KEY: current };
    const missing = await runCommand(['rotate-secret'], configured);
    expect(missing.failure).toContain('name a file with its new value');
    const end = await runCommand(['rotate-secret', '--new-key-file', file], configured);
    expect(end.output).toContain(`Set SECRET_KEY to the content of ${file}`);
    await expectKeyFits({ SECRET_KEY: 'm'.repeat(40) });
  });
});
