import {
  baseUrl,
  databaseUrl,
  email,
  flag,
  headerList,
  host,
  hostList,
  integer,
  networkList,
  oneOf,
  path,
  port,
  portOrOff,
  ratio,
  redisUrl,
  replicaUrls,
  secondsList,
  storageRoots,
  textOf,
  userName,
  type ValueKind,
} from './kinds.js';

/** One environment variable: everything the parser, its messages and `.env.example` say about it. */
export interface Variable<T> {
  readonly description: string;
  readonly kind: ValueKind<T>;
  /** The text that stands when the variable is unset. */
  readonly default?: string;
  /** What happens when the variable is unset and has no fixed default. */
  readonly unset?: string;
  /** `whole`: the value is never shown; `url`: the user, password and query in it are not. */
  readonly secret?: 'whole' | 'url';
}

type WithDefault<T> = Variable<T> & { readonly default: string };

const fixed = <T>(variable: WithDefault<T>): WithDefault<T> => variable;
const open = <T>(variable: Variable<T> & { readonly unset: string }): Variable<T> => variable;

const TOKEN_CHARACTERS = { pattern: /^[A-Za-z0-9_-]*$/, name: 'A-Z a-z 0-9 _ -' };

const VERSION_CHARACTERS = { pattern: /^[0-9A-Za-z.-]*$/, name: 'A-Z a-z 0-9 . -' };

/** Every environment variable the service reads. */
export const VARIABLES = {
  PORT: fixed({ description: 'HTTP port: API and Git over HTTP', kind: port, default: '3000' }),
  HOST: fixed({ description: 'Address to bind', kind: host, default: '127.0.0.1' }),
  EXTERNAL_URL: open({
    description: 'Base of every address the service hands out',
    kind: baseUrl,
    unset: 'http://localhost:$PORT',
  }),
  TRUSTED_PROXIES: open({
    description: 'Addresses and networks of proxies whose X-Forwarded-For is believed, by comma',
    kind: networkList,
    unset: 'none: clients have the address of their connection',
  }),
  STATUS_PROFILE: fixed({
    description:
      'spec: success is 200 but for documented exceptions; gitlab: creations answer 201, ' +
      'repository/commits counts pages from 0, users and settings have their older field names too',
    kind: oneOf('spec', 'gitlab'),
    default: 'spec',
  }),
  API_COMPATIBILITY_VERSION: fixed({
    description: 'Version that GET /api/v3/version answers; some clients adapt themselves to it',
    kind: textOf(1, 64, VERSION_CHARACTERS),
    default: '8.15.7',
  }),
  API_V4_COMPATIBILITY_VERSION: fixed({
    description:
      'Version that GET /api/v4/version and /api/v4/metadata answer; clients choose by it what they call',
    kind: textOf(1, 64, VERSION_CHARACTERS),
    default: '17.11.0',
  }),
  DATA_DIR: fixed({
    description: 'Everything the service writes: embedded database, repositories, uploads',
    kind: path,
    default: './data',
  }),
  REPOSITORY_STORAGES: open({
    description: 'Further folders for repositories, by the name that settings know them under',
    kind: storageRoots,
    unset: 'only default, which is DATA_DIR/repositories',
  }),
  DATABASE_URL: open({
    description: 'PostgreSQL to use; needed when api and worker run apart',
    kind: databaseUrl,
    unset: 'an embedded PostgreSQL under DATA_DIR',
    secret: 'url',
  }),
  DATABASE_DIRECT_URL: open({
    description:
      'The same database without the pooler in transaction mode that DATABASE_URL names: for notifications, queues and migrations',
    kind: databaseUrl,
    unset: 'DATABASE_URL is used for all, and is no such pooler',
    secret: 'url',
  }),
  DATABASE_REPLICA_URLS: open({
    description:
      'Standbys of the database that answer requests of the API that only read; each address leads to one server, without a pooler or load balancer',
    kind: replicaUrls,
    unset: 'the primary answers all requests',
    secret: 'url',
  }),
  DATABASE_PREPARED_STATEMENTS: open({
    description: 'Whether the database keeps statements prepared under names for a connection',
    kind: flag,
    unset: 'true, but false where DATABASE_DIRECT_URL is set',
  }),
  DATABASE_POOL_SIZE: fixed({
    description: 'Most database connections of one process for requests and jobs',
    kind: integer(2, 500),
    default: '10',
  }),
  DATABASE_PUSH_POOL_SIZE: fixed({
    description:
      'Most further connections of one process for pushes, merges and other work that holds a push lock',
    kind: integer(2, 100),
    default: '7',
  }),
  DATABASE_STATEMENT_TIMEOUT_MS: fixed({
    description: 'Milliseconds after which the database cancels a statement',
    kind: integer(100, 3_600_000),
    default: '30000',
  }),
  UV_THREADPOOL_SIZE: fixed({
    description:
      "Threads of Node's pool, for files and passwords. Has to be in the environment of the process: Node reads it before .env",
    kind: integer(1, 1024),
    default: '4',
  }),
  PROCESS_LEASE_SECONDS: fixed({
    description:
      'Seconds without a sign of life after which others take over the work of a process',
    kind: integer(3, 600),
    default: '15',
  }),
  REDIS_URL: open({
    description: 'Redis that holds the job queues',
    kind: redisUrl,
    unset: 'the queues live in PostgreSQL',
    secret: 'url',
  }),
  ROOT_USERNAME: fixed({
    description: 'Administrator created on the first start',
    kind: userName,
    default: 'root',
  }),
  ROOT_EMAIL: fixed({
    description: "The administrator's e-mail address",
    kind: email,
    default: 'admin@example.com',
  }),
  ROOT_PASSWORD: open({
    description: "The administrator's password",
    kind: textOf(8, 128),
    unset: 'random, printed once',
    secret: 'whole',
  }),
  ROOT_TOKEN: open({
    description: "The administrator's private token",
    kind: textOf(8, 64, TOKEN_CHARACTERS),
    unset: 'random, printed once',
    secret: 'whole',
  }),
  SSH_PORT: fixed({ description: 'Git over SSH', kind: portOrOff, default: '2222' }),
  SSH_EXTERNAL_HOST: open({
    description: 'Host in the SSH addresses of repositories that the service hands out',
    kind: host,
    unset: 'the host of EXTERNAL_URL',
  }),
  SSH_EXTERNAL_PORT: open({
    description: 'Port in these addresses, where clients do not connect to SSH_PORT itself',
    kind: integer(1, 65_535),
    unset: 'SSH_PORT',
  }),
  SSH_MAX_CONNECTIONS: fixed({
    description: 'Most SSH connections one process holds; a single address gets a quarter of them',
    kind: integer(1, 100_000),
    default: '200',
  }),
  GIT_FETCHES_PREPARED: open({
    description: 'Clones and fetches for which one process has git put packs together at once',
    kind: integer(1, 1_000),
    unset: 'two for each processor, at least 4',
  }),
  GIT_READ_MEMORY_MIB: fixed({
    description:
      'Most MiB that git takes in one process for all clones, downloads, archives and patches together',
    kind: integer(64, 1_000_000),
    default: '640',
  }),
  PUSH_MAX_BYTES: fixed({
    description:
      'Most bytes that the objects of one push may take, over HTTP and SSH; 0 is any number',
    kind: integer(0, 999_999_999_999_999),
    default: '0',
  }),
  PUSH_MAX_UNPACKED_BYTES: fixed({
    description: 'Most bytes that the objects of one push may have unpacked; 0 is any number',
    kind: integer(0, 999_999_999_999_999),
    default: '0',
  }),
  FILE_MAX_BYTES: fixed({
    description: 'Most bytes that one file of a push may have unpacked; 0 is any number',
    kind: integer(0, 999_999_999_999_999),
    default: '0',
  }),
  PROJECT_MAX_BYTES: fixed({
    description:
      'Most bytes that the repository and the uploads of one project may take; 0 is any number',
    kind: integer(0, 999_999_999_999_999),
    default: '0',
  }),
  WEBHOOK_ALLOW_LOCAL: fixed({
    description: 'true lets hooks deliver to loopback and private addresses',
    kind: flag,
    default: 'false',
  }),
  WEBHOOK_ALLOWED_HOSTS: open({
    description:
      'Hosts, addresses and networks that hooks and imports may reach although they are local',
    kind: hostList,
    unset: 'none',
  }),
  WEBHOOK_RETRY_SECONDS: fixed({
    description: 'Seconds after which deliveries to hooks are tried again, one for each retry',
    kind: secondsList,
    default: '5,30,300,1800,7200,18000,36000,50400,72000,86400',
  }),
  QUICK_ACTIONS: fixed({
    description: 'false leaves lines such as /close in descriptions and notes as text',
    kind: flag,
    default: 'true',
  }),
  METRICS_TOKEN: open({
    description: 'Bearer token with which GET /metrics may be read beside tokens of administrators',
    kind: textOf(16, 128, TOKEN_CHARACTERS),
    unset: 'administrators only',
    secret: 'whole',
  }),
  AUDIT_RETENTION_DAYS: fixed({
    description: 'Days for which entries of the audit log are kept',
    kind: integer(1, 36_500),
    default: '365',
  }),
  METRICS_PORT: fixed({
    description: 'Port at HOST where a worker process answers GET /metrics; needs METRICS_TOKEN',
    kind: portOrOff,
    default: 'off',
  }),
  OTEL_EXPORTER_OTLP_ENDPOINT: open({
    description: 'OpenTelemetry collector to which traces are sent, as JSON over HTTP',
    kind: baseUrl,
    unset: 'nothing is traced',
    secret: 'url',
  }),
  OTEL_EXPORTER_OTLP_HEADERS: open({
    description: 'Headers for the collector, as NAME=VALUE by comma, values percent-encoded',
    kind: headerList,
    unset: 'none',
    secret: 'whole',
  }),
  OTEL_SERVICE_NAME: fixed({
    description: 'Name of the service in traces',
    kind: textOf(1, 255),
    default: 'trellis',
  }),
  OTEL_TRACES_SAMPLER: fixed({
    description: 'Which requests are traced; parentbased_ follows the sampled flag of traceparent',
    kind: oneOf(
      ...(['always_on', 'always_off', 'traceidratio'] as const),
      ...(['parentbased_always_on', 'parentbased_always_off', 'parentbased_traceidratio'] as const),
    ),
    default: 'parentbased_always_on',
  }),
  OTEL_TRACES_SAMPLER_ARG: fixed({
    description: 'Share of the requests that the samplers with traceidratio trace',
    kind: ratio,
    default: '1',
  }),
  LOG_LEVEL: fixed({
    description: 'Least severity that is logged',
    kind: oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'),
    default: 'info',
  }),
  SECRET_KEY: open({
    description:
      'Text from which the key for stored secrets is made; the same for every process, replaced by trellis rotate-secret',
    kind: textOf(32, 1024),
    unset: 'generated once as DATA_DIR/secret.key',
    secret: 'whole',
  }),
  TRELLIS_BACKUP_PASSPHRASE: open({
    description:
      'Passphrase that trellis backup seals the keys with, and trellis restore opens them',
    kind: textOf(8, 1024),
    unset: 'that of the file which --passphrase-file names; without it, backups contain no keys',
    secret: 'whole',
  }),
} as const;

export type VariableName = keyof typeof VARIABLES;

type Parsed<V> =
  V extends WithDefault<infer T> ? T : V extends Variable<infer T> ? T | undefined : never;

/** The parsed values: those with a default are always there. */
export type Values = { readonly [N in VariableName]: Parsed<(typeof VARIABLES)[N]> };
