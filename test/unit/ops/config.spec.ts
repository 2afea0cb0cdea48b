import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { inspect } from 'node:util';
import {
  ConfigError,
  describeSettings,
  hasUserNameForm,
  loadConfig,
  readEnvironment,
  renderEnvExample,
  requireDatabaseUrl,
} from '../../../src/platform/config/index.js';
import { VARIABLES, type VariableName } from '../../../src/platform/config/schema.js';

function problemsOf(env: NodeJS.ProcessEnv): readonly string[] {
  try {
    loadConfig(env);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

const GOOD: Record<VariableName, readonly string[]> = {
  PORT: ['0', '1', '65535'],
  HOST: ['127.0.0.1', '::1', '0.0.0.0', 'localhost', 'git.example.com'],
  EXTERNAL_URL: ['https://git.example.com/', 'http://10.0.0.1:3000', 'https://example.com/trellis'],
  TRUSTED_PROXIES: ['127.0.0.1', '10.0.0.0/8, ::1,2001:db8::/32', '0.0.0.0/0'],
  STATUS_PROFILE: ['spec', 'gitlab'],
  API_COMPATIBILITY_VERSION: ['8.15.7', '8.17.0-ee', '9'],
  API_V4_COMPATIBILITY_VERSION: ['17.11.0', '18.2.0-ce', '17'],
  DATA_DIR: ['data', '/srv/trellis', '../elsewhere'],
  REPOSITORY_STORAGES: ['fast=/mnt/fast', 'a=x, B-2.c_d=../y z', `${'n'.repeat(64)}=/a=b`],
  DATABASE_URL: [
    'postgres://u:p@db/trellis',
    'postgresql://u@db:5432/t?sslmode=require',
    'postgres://u:p@db1:5432,db2,[::1]:5433/t',
    'postgres://u:p@db1,db2/t?target_session_attrs=read-write',
    'postgres://u:p@db/t?target_session_attrs=primary',
  ],
  DATABASE_DIRECT_URL: ['postgres://u:p@db/trellis', 'postgres://u:p@db1,db2/t'],
  DATABASE_REPLICA_URLS: [
    'postgres://u:p@one/t',
    'postgres://u:p@one,two:5433/t  postgres://three/t',
  ],
  DATABASE_PREPARED_STATEMENTS: ['true', 'false'],
  DATABASE_POOL_SIZE: ['2', '500'],
  DATABASE_PUSH_POOL_SIZE: ['2', '100'],
  DATABASE_STATEMENT_TIMEOUT_MS: ['100', '3600000'],
  UV_THREADPOOL_SIZE: ['1', '16'],
  PROCESS_LEASE_SECONDS: ['3', '15', '600'],
  REDIS_URL: [
    'redis://localhost:6379',
    'rediss://:secret@cache:6380/2',
    'redis+sentinel://:p%40@a,b:26380,[::1]:1/3?master=m&sentinel_password=s',
    'rediss+cluster://u:p@a:7000,b',
  ],
  ROOT_USERNAME: ['root', 'a', 'Ada.Lovelace_1-x', '_x', '.hidden', '0'],
  ROOT_EMAIL: ['a@b', 'admin@example.com'],
  ROOT_PASSWORD: ['12345678', 'ä'.repeat(128)],
  ROOT_TOKEN: ['abcd-_19', 'x'.repeat(20), 'x'.repeat(64)],
  SSH_PORT: ['off', '0', '2222'],
  SSH_EXTERNAL_HOST: ['git.example.com', '192.0.2.1', '2001:db8::1'],
  SSH_EXTERNAL_PORT: ['1', '22', '65535'],
  SSH_MAX_CONNECTIONS: ['1', '100000'],
  GIT_FETCHES_PREPARED: ['1', '16', '1000'],
  GIT_READ_MEMORY_MIB: ['64', '640', '1000000'],
  PUSH_MAX_BYTES: ['0', '1073741824', '999999999999999'],
  PUSH_MAX_UNPACKED_BYTES: ['0', '1073741824', '999999999999999'],
  FILE_MAX_BYTES: ['0', '1073741824', '999999999999999'],
  PROJECT_MAX_BYTES: ['0', '1073741824', '999999999999999'],
  WEBHOOK_ALLOW_LOCAL: ['true', 'false'],
  WEBHOOK_ALLOWED_HOSTS: ['ci', 'CI.example.com, 10.0.0.7, 10.1.0.0/16', 'fd00::/8'],
  WEBHOOK_RETRY_SECONDS: ['5', '0.1, 30,2592000'],
  LOG_LEVEL: ['debug', 'silent'],
  METRICS_TOKEN: ['metrics-token-of-16'],
  AUDIT_RETENTION_DAYS: ['1', '365', '36500'],
  QUICK_ACTIONS: ['true', 'false'],
  METRICS_PORT: ['off', '0', '9464'],
  OTEL_EXPORTER_OTLP_ENDPOINT: ['http://localhost:4318', 'https://collector.example.com/otlp/'],
  OTEL_EXPORTER_OTLP_HEADERS: ['api-key=abc', 'Authorization=Basic%20eA==, x-tenant=1'],
  OTEL_SERVICE_NAME: ['trellis', 'git service'],
  OTEL_TRACES_SAMPLER: ['always_on', 'parentbased_traceidratio'],
  OTEL_TRACES_SAMPLER_ARG: ['0', '0.25', '1', '1.0'],
  SECRET_KEY: ['k'.repeat(32)],
  TRELLIS_BACKUP_PASSPHRASE: ['12345678', 'ä'.repeat(1024)],
};

const BAD: Record<VariableName, readonly string[]> = {
  PORT: ['-1', '65536', '3e3', '0x50', ' 80', '80.5', 'http'],
  HOST: ['[::1]', 'a b', 'http://x', '-x', 'x/y'],
  EXTERNAL_URL: [
    'git.example.com',
    'ftp://x',
    'http://x?a=1',
    'http://x/#',
    'http://u:p@x',
    'http://',
  ],
  TRUSTED_PROXIES: ['proxy', '10.0.0.0/33', '10.0.0.0/8/8', '::1/129', '10.0.0.1,,', '1.2.3.4:80'],
  STATUS_PROFILE: ['Spec', 'github'],
  API_COMPATIBILITY_VERSION: ['8.15 7', '8.15"', '1'.repeat(65)],
  API_V4_COMPATIBILITY_VERSION: ['17.11 0', '17.11"', '1'.repeat(65)],
  DATA_DIR: ['a\0b'],
  REPOSITORY_STORAGES: [
    '/mnt/fast',
    'fast=',
    '=/mnt/fast',
    'default=/mnt/fast',
    'fast=/a,fast=/b',
    'a=/x,b=/x',
    'a=/x,',
    'a b=/x',
    '_a=/x',
    `${'n'.repeat(65)}=/x`,
    'a=/x\0',
  ],
  DATABASE_URL: [
    ...['mysql://u:p@db/x', 'postgres://u:p@db', 'postgres://u:p@db/', 'db'],
    ...['postgres://u:p@db1,/t', 'postgres://u:p@db1:5432,db2:x/t', 'postgres://u:p@db1,db2/'],
    ...['postgres://u:p@db1,db2/t?target_session_attrs=standby'],
  ],
  DATABASE_DIRECT_URL: ['mysql://u:p@db/x', 'postgres://u:p@db1,/t'],
  DATABASE_REPLICA_URLS: [
    'mysql://u:p@one/t',
    'postgres://one/t,postgres://two/t',
    'postgres:///t',
  ],
  DATABASE_PREPARED_STATEMENTS: ['on', '1'],
  DATABASE_POOL_SIZE: ['1', '501', 'many'],
  DATABASE_PUSH_POOL_SIZE: ['1', '101', 'many'],
  DATABASE_STATEMENT_TIMEOUT_MS: ['0', '99', '3600001'],
  UV_THREADPOOL_SIZE: ['0', 'many'],
  PROCESS_LEASE_SECONDS: ['2', '601', '5.5'],
  REDIS_URL: ['http://x', 'localhost:6379', 'redis://', 'redis://a,b', 'redis+sentinel://a:1,b:2'],
  ROOT_USERNAME: [
    '-x',
    'x.',
    'x.git',
    'x.atom',
    'admin',
    'ghost',
    'a b',
    'x/y',
    'ä',
    'x'.repeat(256),
  ],
  ROOT_EMAIL: ['admin', '@x', 'x@', 'a@b@c', 'a b@c', `${'x'.repeat(254)}@y`],
  ROOT_PASSWORD: ['1234567', 'x'.repeat(129)],
  ROOT_TOKEN: ['short', 'with blank', 'x'.repeat(65), 'umlaut-ä-x'],
  SSH_PORT: ['no', '70000'],
  SSH_EXTERNAL_HOST: ['ssh://git.example.com', 'git.example.com:22', '[::1]', 'git@host', 'a/b'],
  SSH_EXTERNAL_PORT: ['0', '65536', 'off', '22a'],
  GIT_FETCHES_PREPARED: ['0', '1001', 'auto'],
  GIT_READ_MEMORY_MIB: ['0', '63', '1000001', '1G'],
  SSH_MAX_CONNECTIONS: ['0', '100001', 'off'],
  PUSH_MAX_BYTES: ['-1', '1GB', '1e9', '1000000000000000'],
  PUSH_MAX_UNPACKED_BYTES: ['-1', '1GB', '1e9', '1000000000000000'],
  FILE_MAX_BYTES: ['-1', '1GB', '1e9', '1000000000000000'],
  PROJECT_MAX_BYTES: ['-1', '1GB', '1e9', '1000000000000000'],
  WEBHOOK_ALLOW_LOCAL: ['1', 'yes', 'TRUE'],
  WEBHOOK_ALLOWED_HOSTS: ['http://ci', 'ci:80', '*.example.com', '10.0.0.0/33', 'ci,', '[::1]'],
  WEBHOOK_RETRY_SECONDS: ['5,', 'soon', '-1', '1e3', '2592001', Array(101).fill('1').join(',')],
  LOG_LEVEL: ['verbose', 'INFO'],
  METRICS_TOKEN: ['too-short', 'with blanks in between'],
  AUDIT_RETENTION_DAYS: ['0', '36501', 'for ever'],
  QUICK_ACTIONS: ['perhaps', '2'],
  METRICS_PORT: ['on', '65536'],
  OTEL_EXPORTER_OTLP_ENDPOINT: ['collector:4317', 'http://u:p@collector', 'grpc://collector'],
  OTEL_EXPORTER_OTLP_HEADERS: ['api-key', 'a b=c', 'a=%', 'a=%0a', 'a=b,,c=d'],
  OTEL_SERVICE_NAME: ['x'.repeat(256)],
  OTEL_TRACES_SAMPLER: ['on', 'jaeger_remote'],
  OTEL_TRACES_SAMPLER_ARG: ['1.1', '-0.5', '.5', '25%'],
  SECRET_KEY: ['k'.repeat(31)],
  TRELLIS_BACKUP_PASSPHRASE: ['1234567'],
};

const pairs = (table: Record<string, readonly string[]>) =>
  Object.entries(table).flatMap(([name, texts]) => texts.map((text) => [name, text] as const));

describe('the configuration', () => {
  it.each(pairs(GOOD))('accepts %s=%s', (name, text) => {
    expect(problemsOf({ [name]: text })).toEqual([]);
  });

  it.each(pairs(BAD))('refuses %s=%s, naming it and what is allowed', (name, text) => {
    const { allowed } = VARIABLES[name as VariableName].kind;
    const problems = problemsOf({ [name]: text });
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(new RegExp(`^${name}=`));
    expect(problems[0]).toContain(`, allowed: ${allowed}`);
  });

  it('has the defaults for an empty environment, and treats empty values as unset', () => {
    const empty = Object.fromEntries(Object.keys(VARIABLES).map((name) => [name, '']));
    for (const config of [loadConfig({}), loadConfig(empty)]) {
      expect(config).toMatchObject({
        http: {
          host: '127.0.0.1',
          port: 3000,
          externalUrl: 'http://localhost:3000',
          statusProfile: 'spec',
        },
        database: { poolSize: 10, pushPoolSize: 7, statementTimeoutMs: 30_000 },
        root: { username: 'root', email: 'admin@example.com' },
        ssh: { port: 2222, maxConnections: 200 },
        dataDir: resolve('data'),
        webhookAllowLocal: false,
        logLevel: 'info',
      });
      expect(config.database.url).toBeUndefined();
      expect(config.redisUrl ?? config.secretKey).toBeUndefined();
      expect(config.root.password ?? config.root.token).toBeUndefined();
    }
  });

  it('lists every bad variable at once', () => {
    const env = Object.fromEntries(Object.entries(BAD).map(([name, [text]]) => [name, text]));
    const names = problemsOf(env).map((line) => line.split('=')[0]);
    expect(names.sort()).toEqual(Object.keys(VARIABLES).sort());
    expect(() => loadConfig(env)).toThrow(/PORT="-1"[^]*LOG_LEVEL="verbose"/);
  });

  it('shows no secret in messages and output', () => {
    const secret = 'pA55w0rd';
    const bad = problemsOf({
      ROOT_PASSWORD: secret.slice(0, 7),
      ROOT_TOKEN: `${secret} x`,
      SECRET_KEY: secret,
      DATABASE_URL: `mysql://me:${secret}@db/x?password=${secret}`,
      REDIS_URL: `http://:${secret}@cache`,
    }).join('\n');
    expect(bad).not.toContain(secret.slice(0, 7));
    expect(bad).toContain('DATABASE_URL="mysql://***@db/x"');
    expect(problemsOf({ DATABASE_URL: `${secret}@` })).toEqual([
      expect.stringContaining('DATABASE_URL=(not shown)'),
    ]);

    // Parsed as if they had no password, or one that ends earlier.
    for (const env of [
      { DATABASE_URL: `postgres:me:${secret}@db/x` },
      { DATABASE_URL: `postgres://me:p@${secret}/x@db/y` },
      { REDIS_URL: `redis+sentinel://:${secret}@a,b:2/?master=m&sentinel_password=${secret}` },
    ]) {
      const settings = describeSettings(env);
      expect(JSON.stringify(settings)).not.toMatch(new RegExp(secret, 'i'));
    }
    for (const address of [`${secret},x/y@a:1,b`, `u:1,${secret}?y@b`, `:${secret},x@a:1,b?x=y`]) {
      const problems = problemsOf({ REDIS_URL: `redis+sentinel://${address}` });
      expect(problems).toHaveLength(1);
      expect(problems.join()).not.toMatch(new RegExp(secret, 'i'));
    }
    expect(problemsOf({ REDIS_URL: `http://:p@${secret}#x@cache` }).join()).not.toMatch(/pA55/i);

    const config = loadConfig({
      ROOT_PASSWORD: secret,
      ROOT_TOKEN: secret,
      SECRET_KEY: secret.repeat(4),
      DATABASE_URL: `postgres://u:${secret}@db/x`,
      REDIS_URL: `redis://:${secret}@cache`,
    });
    expect(config.root.password).toBe(secret);
    expect(JSON.stringify(config) + inspect(config, { depth: 9 })).not.toContain(secret);
  });

  it('shows only the hosts of an address with several', () => {
    const [bad] = problemsOf({ DATABASE_URL: 'mysql://me:pA55w0rd@db1:1,db2/x?y=z' });
    expect(bad).toContain('DATABASE_URL="mysql://***@db1:1,db2/x"');
    expect(problemsOf({ DATABASE_URL: 'postgres://me:pA55w0rd@db1,db2:x/y' })).toEqual([
      expect.stringContaining('DATABASE_URL=(not shown)'),
    ]);
    // A comma and a slash of a password that are not encoded.
    const settings = describeSettings({ DATABASE_URL: 'postgres://me:1,pA55w0rd/x@db/y' });
    expect(JSON.stringify(settings)).not.toMatch(/pA55w0rd/i);
  });

  it('takes the direct address for all but requests and jobs, and prepares no statements behind a pooler', () => {
    const [pooler, direct] = ['postgres://u:p@pooler:6432/x', 'postgres://u:p@db/x'];
    const both = { DATABASE_URL: pooler, DATABASE_DIRECT_URL: direct };
    expect(loadConfig({ DATABASE_URL: direct }).database).toMatchObject({
      ...{ url: direct, preparesStatements: true },
    });
    expect(loadConfig({ DATABASE_URL: direct }).database.poolerUrl).toBeUndefined();
    const config = loadConfig(both);
    expect(config.database).toMatchObject({
      ...{ url: direct, poolerUrl: pooler, preparesStatements: false },
    });
    expect(JSON.stringify(config) + inspect(config, { depth: 9 })).not.toContain('u:p@');
    const preparing = loadConfig({ ...both, DATABASE_PREPARED_STATEMENTS: 'true' });
    expect(preparing.database.preparesStatements).toBe(true);
  });

  it('cuts trailing slashes off the external address', () => {
    const { http } = loadConfig({ EXTERNAL_URL: 'https://example.com/trellis//' });
    expect(http.externalUrl).toBe('https://example.com/trellis');
  });

  it('lets an address that was not configured follow the port in use', () => {
    const free = loadConfig({ PORT: '0', SSH_PORT: '0' });
    free.bindHttpPort(41_000);
    free.bindSshPort(42_000);
    expect(free.http).toMatchObject({ port: 41_000, externalUrl: 'http://localhost:41000' });
    expect(free.ssh.port).toBe(42_000);

    const named = loadConfig({ PORT: '0', EXTERNAL_URL: 'https://example.com' });
    named.bindHttpPort(41_000);
    expect(named.http).toMatchObject({ port: 41_000, externalUrl: 'https://example.com' });
  });

  it('has the storage of the data folder, and the named ones', () => {
    const own = ['default', resolve('data', 'repositories')];
    expect([...loadConfig({}).storages]).toEqual([own]);
    const config = loadConfig({ REPOSITORY_STORAGES: 'fast=/mnt/fast, slow=disks/slow' });
    expect([...config.storages]).toEqual([
      own,
      ['fast', '/mnt/fast'],
      ['slow', resolve('disks/slow')],
    ]);
    expect(config.toJSON()).toMatchObject({ storages: { fast: '/mnt/fast' } });
  });

  it('requires a database address for a separate process', () => {
    expect(() => requireDatabaseUrl(loadConfig({}), 'worker')).toThrow(
      /DATABASE_URL is unset, but the worker process needs it/,
    );
    const url = 'postgres://u:p@db/x';
    expect(requireDatabaseUrl(loadConfig({ DATABASE_URL: url }), 'api')).toBe(url);
  });

  it('measures user names as docs/reference/users.md#user-names does', () => {
    expect(hasUserNameForm('admin')).toBe(true);
    expect(hasUserNameForm('')).toBe(false);
    expect(hasUserNameForm('x\n')).toBe(false);
  });
});

describe('.env', () => {
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'trellis-env-'));
  });

  afterAll(async () => {
    await rm(folder, { recursive: true });
  });

  it('may be absent, and yields to the environment', async () => {
    expect(readEnvironment({ PORT: '1' }, folder)).toEqual({ PORT: '1' });
    await writeFile(join(folder, '.env'), '# a comment\nPORT=2\nHOST="::1" # loopback\n');
    expect(readEnvironment({ PORT: '1' }, folder)).toEqual({ PORT: '1', HOST: '::1' });
  });
});

describe('secrets in files', () => {
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'trellis-secrets-'));
  });

  afterAll(async () => {
    await rm(folder, { recursive: true });
  });

  async function store(name: string, content: string): Promise<string> {
    const file = join(folder, name);
    await writeFile(file, content);
    return file;
  }

  it.each([
    ['k'.repeat(32), 'k'.repeat(32)],
    [`${'k'.repeat(32)}\n`, 'k'.repeat(32)],
    [`${'k'.repeat(32)}\r\n`, 'k'.repeat(32)],
    [` ${'k'.repeat(32)} \n\n`, ` ${'k'.repeat(32)} \n`],
  ])('contain all of %j except the line break at the end', async (content, value) => {
    const file = await store('key', content);
    expect(loadConfig({ SECRET_KEY_FILE: file, ROOT_TOKEN_FILE: '' }).secretKey).toBe(value);
  });

  it('are accepted for every secret, and for nothing else', async () => {
    const env = {
      DATABASE_URL_FILE: await store('database', 'postgres://u:p@db/trellis\n'),
      REDIS_URL_FILE: await store('redis', 'redis://:p@cache\n'),
      ROOT_PASSWORD_FILE: await store('password', 'a password\n'),
      ROOT_TOKEN_FILE: await store('token', 'token-of-root\n'),
      LOG_LEVEL_FILE: await store('level', 'debug\n'),
    };
    const config = loadConfig(env);
    expect(config.database.url).toBe('postgres://u:p@db/trellis');
    expect(config.redisUrl).toBe('redis://:p@cache');
    expect(config.root).toMatchObject({ password: 'a password', token: 'token-of-root' });
    expect(config.logLevel).toBe('info');
  });

  it('are refused when missing, empty or unusable, and beside a value', async () => {
    const absent = join(folder, 'absent');
    const empty = await store('empty', '\n');
    const short = await store('short', 'pA55w0rd-of-no-use');
    expect(
      problemsOf({
        DATABASE_URL_FILE: short,
        REDIS_URL_FILE: folder,
        ROOT_TOKEN_FILE: empty,
        ROOT_PASSWORD_FILE: short,
        ROOT_PASSWORD: 'another password',
        SECRET_KEY_FILE: absent,
      }),
    ).toEqual([
      expect.stringMatching(
        /^DATABASE_URL_FILE=".*short" holds a value that cannot be used, allow/,
      ),
      `REDIS_URL_FILE="${folder}", but the file cannot be read: EISDIR`,
      `ROOT_PASSWORD_FILE="${short}", but ROOT_PASSWORD is set, too: remove one of them`,
      `ROOT_TOKEN_FILE="${empty}", but the file is empty`,
      `SECRET_KEY_FILE="${absent}", but the file cannot be read: ENOENT`,
    ]);
    expect(problemsOf({ DATABASE_URL_FILE: short }).join()).not.toContain('pA55w0rd');
  });

  it('are masked in the list of settings, with their source', async () => {
    const file = await store('key', `${'k'.repeat(32)}\n`);
    await store('.env', 'PORT=1\nHOST=::1\nDATABASE_URL=postgres://u:pA55w0rd@db/x?password=y\n');
    const settings = describeSettings({ PORT: '2', HOST: '', SECRET_KEY_FILE: file }, folder);
    expect(settings.map(({ name }) => name)).toEqual(Object.keys(VARIABLES));
    expect(settings).toEqual(
      expect.arrayContaining([
        { name: 'PORT', value: '2', source: 'environment' },
        { name: 'HOST', value: '127.0.0.1', source: 'default' },
        { name: 'DATABASE_URL', value: 'postgres://***@db/x', source: '.env' },
        {
          name: 'REDIS_URL',
          value: null,
          source: 'default',
          unset: 'the queues live in PostgreSQL',
        },
        { name: 'SECRET_KEY', value: '***', source: `file ${file}` },
      ]),
    );
    expect(() => describeSettings({ PORT: 'x' }, folder)).toThrow(ConfigError);
    const several = describeSettings(
      { REDIS_URL: 'rediss+sentinel://u:p@a:1,b/2?master=m' },
      folder,
    );
    expect(several).toContainEqual({
      ...{ name: 'REDIS_URL', value: 'rediss+sentinel://***@a:1,b/2', source: 'environment' },
    });
  });
});

describe('.env.example', () => {
  it('matches the schema', async () => {
    const text = await readFile(resolve(__dirname, '../../../.env.example'), 'utf8');
    expect(text).toBe(renderEnvExample());
  });

  it('names every variable and stands for the defaults', () => {
    const text = renderEnvExample();
    const lines = [...text.matchAll(/^#([A-Z\d_]+)=(.*)$/gm)];
    const env = Object.fromEntries(lines.map(([, name = '', value = '']) => [name, value]));
    const names = Object.entries(VARIABLES).flatMap(([name, variable]) =>
      'secret' in variable ? [name, `${name}_FILE`] : [name],
    );
    expect(Object.keys(env)).toEqual(names);
    expect(loadConfig(env)).toEqual(loadConfig({}));
  });
});
