import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { hostAddresses } from '../../config/index.js';

/** One server of an address. */
export interface DatabaseHost {
  /** The address with this host alone. */
  readonly url: string;
  readonly host: string;
  readonly port: number;
}

const STANDARD_PORT = 5432;
const ASK_LIMIT_MS = 3_000;
/** For this long a host is taken to be the primary without asking again. */
const TRUSTED_MS = 2_000;
/** A search goes on for this long: a standby that is promoted takes writes some seconds after its primary has died. */
const SEARCH_MS = 8_000;
const SEARCH_PAUSE_MS = 250;
/** What other hosts get to answer after one has said that it takes writes. */
const OTHERS_MS = 1_000;
/** For this long a failure is the answer to everything that waits for a connection. */
const FAILED_MS = 1_000;

/** The timeline of a server that takes writes, null for a standby and for one that refuses them. */
const TIMELINE = `
  SELECT CASE WHEN NOT pg_is_in_recovery() AND current_setting('transaction_read_only') = 'off'
              THEN left(pg_walfile_name(pg_current_wal_lsn()), 8) END AS timeline`;

/**
 * The hosts of an address, and which of them takes writes. With one host, unless `target_session_attrs` demands more,
 * nothing is asked.
 */
export class DatabaseHosts {
  private static readonly known = new Map<string, DatabaseHosts>();

  readonly all: readonly [DatabaseHost, ...DatabaseHost[]];
  /** Whether connections are only made to a host that takes writes. */
  readonly mustTakeWrites: boolean;
  private chosen: DatabaseHost | undefined;
  private trustedUntil = 0;
  private choosing: Promise<DatabaseHost> | undefined;
  private failure: { readonly error: Error; readonly until: number } | undefined;

  private constructor(address: string) {
    const urls = hostAddresses(address);
    this.all = urls.map(hostOf) as [DatabaseHost, ...DatabaseHost[]];
    this.mustTakeWrites = urls.length > 1 || hasTarget(address);
  }

  /** Returns the hosts of an address, which all connections of the process to that address share. */
  static of(address: string): DatabaseHosts {
    const hosts = this.known.get(address) ?? new DatabaseHosts(address);
    this.known.set(address, hosts);
    return hosts;
  }

  /**
   * Returns the host to connect to, after a search if it is not known.
   * @throws Error when none takes writes, or a connection has just failed: what waits for one does not wait in turn
   */
  async choose(): Promise<DatabaseHost> {
    const now = performance.now();
    if (this.failure !== undefined && now < this.failure.until) throw this.failure.error;
    if (!this.mustTakeWrites) return this.all[0];
    if (this.chosen !== undefined && now < this.trustedUntil) return this.chosen;
    this.choosing ??= this.findPrimary().finally(() => (this.choosing = undefined));
    return this.choosing;
  }

  /** A connection to the chosen host was lost, or refused a write: the next one asks first. */
  doubt(): void {
    this.trustedUntil = 0;
  }

  /** A connection was attempted in vain, and that took its time. */
  reportUnreachable(error: Error): void {
    this.doubt();
    this.failure = { error, until: performance.now() + FAILED_MS };
  }

  private async findPrimary(): Promise<DatabaseHost> {
    try {
      const isStill = this.chosen !== undefined && (await takesWrites(this.chosen));
      if (!isStill) this.chosen = await this.search();
    } catch (error) {
      this.chosen = undefined;
      this.reportUnreachable(error as Error);
      throw error;
    }
    this.trustedUntil = performance.now() + TRUSTED_MS;
    return this.chosen as DatabaseHost;
  }

  private async search(): Promise<DatabaseHost> {
    const deadline = performance.now() + SEARCH_MS;
    for (;;) {
      const { found, reasons } = await this.askAll();
      if (found !== undefined) return found;
      if (performance.now() > deadline) throw new NoPrimaryError(reasons);
      await delay(SEARCH_PAUSE_MS);
    }
  }

  /**
   * Asks all hosts. Of several that take writes, as after a fail-over that left the old one running, the one that was promoted last
   * is found.
   */
  private async askAll() {
    const primaries: { host: DatabaseHost; timeline: string }[] = [];
    const reasons: string[] = [];
    const asked = this.all.map(async (host) => {
      try {
        const timeline = await askTimeline(host);
        if (timeline !== null) return void primaries.push({ host, timeline });
        reasons.push(`${nameOf(host)} takes no writes`);
      } catch (error) {
        reasons.push(`${nameOf(host)}: ${(error as Error).message}`);
      }
      throw new NoPrimaryError(reasons);
    });
    const others = Promise.any(asked).then(
      () => delay(OTHERS_MS, undefined, { ref: false }),
      () => undefined,
    );
    await Promise.race([Promise.allSettled(asked), others]);
    const newest = primaries
      .map(({ timeline }) => timeline)
      .sort()
      .at(-1);
    const isNewest = (host: DatabaseHost): boolean =>
      primaries.some((primary) => primary.host === host && primary.timeline === newest);
    return { found: this.all.find(isNewest), reasons };
  }
}

/** No server of an address takes writes. */
export class NoPrimaryError extends Error {
  override readonly name = 'NoPrimaryError';
  /** As PostgreSQL calls a connection that could not be established. */
  readonly code = '08001';

  constructor(reasons: readonly string[]) {
    super(`No host of the database takes writes (${reasons.join('; ')})`);
  }
}

function hostOf(url: string): DatabaseHost {
  const { hostname, port } = new URL(url);
  const host = decodeURIComponent(hostname).replace(/^\[(.+)\]$/, '$1');
  return { url, host, port: Number(port || STANDARD_PORT) };
}

const hasTarget = (address: string): boolean => /[?&]target_session_attrs=/.test(address);

export const nameOf = ({ host, port }: DatabaseHost): string => `${host}:${String(port)}`;

const takesWrites = async (host: DatabaseHost): Promise<boolean> =>
  (await askTimeline(host).catch(() => null)) !== null;

async function askTimeline({ url }: DatabaseHost): Promise<string | null> {
  return withProbe(url, ASK_LIMIT_MS, async (probe) => {
    const { rows } = await probe.query<{ timeline: string | null }>(TIMELINE);
    return rows[0]?.timeline ?? null;
  });
}

/** Why a server was not reached by this process, which says nothing about the server. */
const OWN_TROUBLE = new Set(['EMFILE', 'ENFILE', 'EAI_AGAIN', 'ENOTFOUND']);

/**
 * Whether the server at an address, of a single host, still answers within a time limit. To be let in, or refused with a
 * reason, is an answer. No statement is run: in a pooler whose sessions are all in use it would wait for them. True also where
 * that cannot be found out.
 */
export async function answers(url: string, limitMs: number): Promise<boolean> {
  try {
    await withProbe(url, limitMs, () => Promise.resolve());
    return true;
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    return error instanceof pg.DatabaseError || OWN_TROUBLE.has(code);
  }
}

async function withProbe<T>(
  url: string,
  limitMs: number,
  work: (probe: pg.Client) => Promise<T>,
): Promise<T> {
  const probe = new pg.Client({
    connectionString: url,
    application_name: 'trellis',
    connectionTimeoutMillis: limitMs,
    query_timeout: limitMs,
  });
  probe.on('error', () => undefined);
  try {
    await probe.connect();
    return await work(probe);
  } finally {
    probe.end().catch(() => undefined);
  }
}
