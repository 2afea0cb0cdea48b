import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import { inspect } from 'node:util';
import { ConfigError, parseVariables } from './environment.js';
import type { Values } from './schema.js';

interface HttpConfig {
  readonly host: string;
  /** The configured port; after `Config.bindHttpPort` the port in use. */
  readonly port: number;
  /** Base of every address handed out, without a trailing slash. */
  readonly externalUrl: string;
  readonly statusProfile: Values['STATUS_PROFILE'];
  /** The version that the service answers clients which ask for it. */
  /** Versions of GitLab that version 3 and version 4 of the API answer. */
  readonly compatibilityVersion: string;
  readonly v4CompatibilityVersion: string;
  /** Addresses and networks whose `X-Forwarded-For` is believed. */
  readonly trustedProxies: readonly string[];
}

interface DatabaseConfig {
  /** Without a pooler in between. Absent: the embedded PostgreSQL is used. */
  readonly url?: string;
  /** Of a pooler in transaction mode, for what requests and jobs do. */
  readonly poolerUrl?: string;
  readonly preparesStatements: boolean;
  /** One for each standby that answers reads. */
  readonly replicaUrls: readonly string[];
  readonly poolSize: number;
  /** Further connections, for work under push locks. */
  readonly pushPoolSize: number;
  readonly statementTimeoutMs: number;
}

interface RootConfig {
  readonly username: string;
  readonly email: string;
  readonly password?: string;
  readonly token?: string;
}

interface SshConfig {
  /** The configured port; after `Config.bindSshPort` the port in use. */
  readonly port: number | 'off';
  /** In addresses handed out; absent: the host of the external URL. */
  readonly externalHost?: string;
  /** In addresses handed out; absent: `port`. */
  readonly externalPort?: number;
  /** In one process. */
  readonly maxConnections: number;
}

/** Where traces are sent, and which. */
export interface TracingConfig {
  /** Of the collector, without a trailing slash and the path of traces. */
  readonly endpoint: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly serviceName: string;
  readonly sampler: Values['OTEL_TRACES_SAMPLER'];
  /** From 0 to 1. */
  readonly samplerRatio: number;
}

const optional = <K extends string, V>(key: K, value: V | undefined) =>
  (value === undefined ? {} : { [key]: value }) as { [P in K]?: V };

/**
 * The service's configuration: read once at the start, injected by class, never changed after. Limits and switches are read
 * where they are used, not copied, so that tests can change those of a running service.
 */
export class Config {
  readonly http: HttpConfig;
  readonly database: DatabaseConfig;
  readonly root: RootConfig;
  readonly ssh: SshConfig;
  /** Absolute path of the folder the service writes to. */
  readonly dataDir: string;
  /** Absolute paths of the folders that hold repositories, by name; `default` comes first. */
  readonly storages: ReadonlyMap<string, string>;
  readonly redisUrl?: string;
  /** Clones and fetches for which git puts packs together at once. */
  readonly gitFetchesPrepared: number;
  /** Bytes. */
  readonly gitReadMemoryBytes: number;
  /** Of the objects of one push, as they are sent; 0 is any number. */
  readonly pushMaxBytes: number;
  /** Of the objects of one push, unpacked; Infinity is any number. */
  readonly pushMaxUnpackedBytes: number;
  /** Of one file of a push, unpacked; Infinity is any number. */
  readonly fileMaxBytes: number;
  /** Of the repository and the uploads of one project, as they lie on the disk; Infinity is any number. */
  readonly projectMaxBytes: number;
  /** How long a process may be silent before others take over its work; milliseconds. */
  /** Of Node's pool. */
  readonly threads: number;
  readonly processLeaseMs: number;
  readonly webhookAllowLocal: boolean;
  /** Names of hosts in lower case, IP addresses, and networks in CIDR notation. */
  readonly webhookAllowedHosts: readonly string[];
  /** One for each retry of a delivery to a hook. */
  readonly webhookRetrySeconds: readonly number[];
  /** Whether lines of texts such as `/close` are carried out. */
  readonly quickActions: boolean;
  /** For entries of the audit log. */
  readonly auditRetentionDays: number;
  readonly logLevel: Values['LOG_LEVEL'];
  readonly secretKey?: string;
  readonly metricsToken?: string;
  /** Of worker processes. */
  readonly metricsPort: number | 'off';
  /** Absent: nothing is traced. */
  readonly tracing?: TracingConfig;
  readonly backupPassphrase?: string;
  readonly #externalUrl: string | undefined;

  constructor(values: Values) {
    this.#externalUrl = values.EXTERNAL_URL;
    this.http = {
      host: values.HOST,
      port: values.PORT,
      externalUrl: this.#externalUrlAt(values.PORT),
      statusProfile: values.STATUS_PROFILE,
      compatibilityVersion: values.API_COMPATIBILITY_VERSION,
      v4CompatibilityVersion: values.API_V4_COMPATIBILITY_VERSION,
      trustedProxies: values.TRUSTED_PROXIES ?? [],
    };
    const directUrl = values.DATABASE_DIRECT_URL;
    this.database = {
      ...optional('url', directUrl ?? values.DATABASE_URL),
      ...optional('poolerUrl', directUrl && values.DATABASE_URL),
      preparesStatements: values.DATABASE_PREPARED_STATEMENTS ?? directUrl === undefined,
      replicaUrls: values.DATABASE_REPLICA_URLS ?? [],
      poolSize: values.DATABASE_POOL_SIZE,
      pushPoolSize: values.DATABASE_PUSH_POOL_SIZE,
      statementTimeoutMs: values.DATABASE_STATEMENT_TIMEOUT_MS,
    };
    this.root = {
      username: values.ROOT_USERNAME,
      email: values.ROOT_EMAIL,
      ...optional('password', values.ROOT_PASSWORD),
      ...optional('token', values.ROOT_TOKEN),
    };
    this.ssh = {
      port: values.SSH_PORT,
      ...optional('externalHost', values.SSH_EXTERNAL_HOST),
      ...optional('externalPort', values.SSH_EXTERNAL_PORT),
      maxConnections: values.SSH_MAX_CONNECTIONS,
    };
    this.dataDir = resolve(values.DATA_DIR);
    this.storages = storagesOf(this.dataDir, values.REPOSITORY_STORAGES ?? new Map());
    this.gitFetchesPrepared =
      values.GIT_FETCHES_PREPARED ?? Math.max(4, 2 * availableParallelism());
    this.gitReadMemoryBytes = values.GIT_READ_MEMORY_MIB * 1024 * 1024;
    this.pushMaxBytes = values.PUSH_MAX_BYTES;
    this.pushMaxUnpackedBytes = values.PUSH_MAX_UNPACKED_BYTES || Infinity;
    this.fileMaxBytes = values.FILE_MAX_BYTES || Infinity;
    this.projectMaxBytes = values.PROJECT_MAX_BYTES || Infinity;
    this.threads = values.UV_THREADPOOL_SIZE;
    this.processLeaseMs = values.PROCESS_LEASE_SECONDS * 1_000;
    this.webhookAllowLocal = values.WEBHOOK_ALLOW_LOCAL;
    this.webhookAllowedHosts = values.WEBHOOK_ALLOWED_HOSTS ?? [];
    this.webhookRetrySeconds = values.WEBHOOK_RETRY_SECONDS;
    this.quickActions = values.QUICK_ACTIONS;
    this.auditRetentionDays = values.AUDIT_RETENTION_DAYS;
    this.logLevel = values.LOG_LEVEL;
    this.metricsPort = values.METRICS_PORT;
    if (values.OTEL_EXPORTER_OTLP_ENDPOINT !== undefined) {
      this.tracing = {
        endpoint: values.OTEL_EXPORTER_OTLP_ENDPOINT,
        headers: values.OTEL_EXPORTER_OTLP_HEADERS ?? {},
        serviceName: values.OTEL_SERVICE_NAME,
        sampler: values.OTEL_TRACES_SAMPLER,
        samplerRatio: values.OTEL_TRACES_SAMPLER_ARG,
      };
    }
    if (values.REDIS_URL !== undefined) this.redisUrl = values.REDIS_URL;
    if (values.METRICS_TOKEN !== undefined) this.metricsToken = values.METRICS_TOKEN;
    if (values.SECRET_KEY !== undefined) this.secretKey = values.SECRET_KEY;
    if (values.TRELLIS_BACKUP_PASSPHRASE !== undefined) {
      this.backupPassphrase = values.TRELLIS_BACKUP_PASSPHRASE;
    }
  }

  /** Sets the port that the HTTP server listens on. An external URL that was not configured gets that port, too. */
  bindHttpPort(port: number): void {
    Object.assign(this.http, { port, externalUrl: this.#externalUrlAt(port) });
  }

  /** Sets the port that the SSH server listens on. */
  bindSshPort(port: number): void {
    Object.assign(this.ssh, { port });
  }

  /** What may be logged: no password, token or key, and of addresses with credentials only that they are set. */
  toJSON(): Record<string, unknown> {
    const { http, ssh, dataDir, storages, pushMaxBytes, webhookAllowLocal, logLevel } = this;
    const { url, poolerUrl, replicaUrls, ...database } = this.database;
    const { username, email } = this.root;
    return {
      http,
      ssh,
      dataDir,
      storages: Object.fromEntries(storages),
      pushMaxBytes,
      webhookAllowLocal,
      logLevel,
      root: { username, email },
      database: {
        ...database,
        external: url !== undefined,
        pooled: poolerUrl !== undefined,
        replicas: replicaUrls.length,
      },
      redis: this.redisUrl !== undefined,
    };
  }

  [inspect.custom](): Record<string, unknown> {
    return this.toJSON();
  }

  #externalUrlAt(port: number): string {
    return this.#externalUrl ?? `http://localhost:${port}`;
  }
}

function storagesOf(dataDir: string, further: ReadonlyMap<string, string>): Map<string, string> {
  const roots = [...further].map(([name, root]) => [name, resolve(root)] as const);
  return new Map([['default', join(dataDir, 'repositories')], ...roots]);
}

/** @throws ConfigError naming every variable that has an unusable value */
export function loadConfig(env: NodeJS.ProcessEnv): Config {
  return new Config(parseVariables(env));
}

/**
 * The port and the token for the figures of a process that serves nothing else; undefined without a port.
 * @throws ConfigError for a port without a token
 */
export function metricsAccess({
  metricsPort: port,
  metricsToken: token,
}: Config): { port: number; token: string } | undefined {
  if (port === 'off') return undefined;
  if (token !== undefined) return { port, token };
  throw new ConfigError([
    'METRICS_PORT is set, but METRICS_TOKEN is not: figures are not for everybody',
  ]);
}

/**
 * The database address for a process that runs apart from others, which all need the same one.
 * @throws ConfigError when none is configured
 */
export function requireDatabaseUrl(config: Config, role: string): string {
  if (config.database.url !== undefined) return config.database.url;
  throw new ConfigError([
    `DATABASE_URL is unset, but the ${role} process needs it: the embedded PostgreSQL serves the all-in-one process only`,
  ]);
}
