import { Logger } from '@nestjs/common';
import type { DataSource } from 'typeorm';
import { Deferred, settlesWithin } from '../../async/index.js';
import { replicaRequests } from '../../metrics/index.js';
import type { PreparingClientConfig } from '../preparing-client.js';
import { ForeignReplicaError } from './foreign-replica-error.js';
import { parseLsn, type Position, PrimaryPosition } from './position.js';
import { type ReadTarget, runOnTarget } from './read-scope.js';
import { ForeignError, Replica, type ReplicaReport } from './replica.js';

/** How long a request waits for a standby to replay what it has to see, before the primary answers it. */
const WAIT_MS = 20;
const DESCRIBE_LIMIT_MS = 2_000;

export interface ReplicasOptions {
  /** An address for each standby. */
  readonly urls: readonly string[];
  /** Connections for reads, to each of them. */
  readonly poolSize: number;
  readonly client: PreparingClientConfig;
}

/** A standby at this moment. */
export interface ReplicaState {
  /** Host and port. */
  readonly name: string;
  /** Why it answers no reads. */
  readonly problem?: ReplicaProblem;
  readonly detail: string;
  /** Bytes of the log that it has not replayed yet; null where that is not known. */
  readonly lagBytes: number | null;
}

/**
 * `foreign`: it is of another database; `primary`: it is no standby; `blind`: its account may not see which timeline it
 * follows; `cut-off`: it does not receive the log.
 */
export type ReplicaProblem = 'unreachable' | Drawback;

type Drawback = 'foreign' | 'primary' | 'blind' | 'cut-off';

const DETAILS: Readonly<Record<Drawback, string>> = {
  foreign: 'it is no standby of the database in DATABASE_URL',
  primary: 'it is no standby at present',
  blind: 'its account may not see which timeline it follows (pg_read_all_stats)',
  'cut-off': 'it does not receive the log from another server',
};

/**
 * Sends requests that only read to standbys (docs/decisions/0065-read-replicas.md). A request sees all that was acknowledged
 * before it began: it reads from a standby that has replayed it, or from the primary.
 */
export class Replicas {
  private readonly logger = new Logger(Replicas.name);
  private readonly all: readonly { readonly name: string; readonly replica: Replica }[];
  private readonly primary: PrimaryPosition;
  /** Why standbys are left out, by name. */
  private readonly failures = new Map<string, string>();
  private turn = 0;

  constructor(dataSource: DataSource, { urls, poolSize, client }: ReplicasOptions) {
    this.primary = new PrimaryPosition(dataSource);
    const identity = () => this.primary.identity();
    this.all = urls.map((url) => {
      const replica = new Replica({ url, poolSize, client }, identity);
      return { name: nameOf(url), replica };
    });
  }

  /** Runs work that may read from a standby, or from the primary where none is near enough. Not within a unit of work. */
  async run(work: () => Promise<void>): Promise<void> {
    const target = await this.choose();
    replicaRequests.inc({ server: target === undefined ? 'primary' : 'standby' });
    await runOnTarget(target, work);
  }

  /**
   * Asks all standbys, and logs why those that cannot be used yet are left out.
   * @throws ForeignReplicaError
   */
  async check(): Promise<void> {
    for (const { name, problem, detail } of await this.states()) {
      if (problem === 'foreign') throw new ForeignReplicaError(name, DETAILS.foreign);
      if (problem !== undefined) this.noteFailure(name, new Error(detail));
    }
  }

  /** Asks all standbys at the same time. */
  states(): Promise<ReplicaState[]> {
    return Promise.all(
      this.all.map(async ({ name, replica }): Promise<ReplicaState> => {
        try {
          const { lsn } = await this.primary.find();
          const described = replica.describe();
          if (!(await settlesWithin(described, DESCRIBE_LIMIT_MS))) throw new Error('no answer');
          const report = await described;
          const problem = problemOf(report);
          if (problem !== undefined) {
            return { name, problem, detail: DETAILS[problem], lagBytes: null };
          }
          const lagBytes = Math.max(0, Number(lsn - parseLsn(report.lsn ?? '0/0')));
          return { name, detail: `${String(lagBytes)} bytes behind`, lagBytes };
        } catch (error) {
          if (error instanceof ForeignError) {
            return { name, problem: 'foreign', detail: DETAILS.foreign, lagBytes: null };
          }
          return { name, problem: 'unreachable', detail: reasonOf(error), lagBytes: null };
        }
      }),
    );
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all(this.all.map(({ replica }) => replica.end()));
  }

  private async choose(): Promise<ReadTarget | undefined> {
    const tried = this.inTurn().filter(({ replica }) => replica.isTried);
    if (tried.length === 0) return undefined;
    const position = await this.primary.find().catch(() => undefined);
    if (position === undefined) return undefined;
    for (const { replica } of tried) {
      const server = replica.reached(position);
      if (server !== undefined) return server;
    }
    return this.await(tried, position);
  }

  /** Waits for the first of some standbys to be there. The others have a rest, if none is in time. */
  private async await(tried: typeof this.all, position: Position): Promise<ReadTarget | undefined> {
    const until = performance.now() + WAIT_MS;
    const late = new Deferred<undefined>();
    const timer = setTimeout(() => late.resolve(undefined), WAIT_MS);
    const reached = tried.map(async ({ name, replica }) => {
      try {
        const server = await replica.reach(position, until);
        this.noteSuccess(name);
        if (server === undefined) await late.promise;
        return server;
      } catch (error) {
        replica.rest();
        this.noteFailure(name, error);
        throw error;
      }
    });
    const found = await Promise.race([Promise.any(reached).catch(() => undefined), late.promise]);
    clearTimeout(timer);
    if (found === undefined) for (const { replica } of tried) replica.rest();
    return found;
  }

  /** Another standby comes first each time. */
  private inTurn(): typeof this.all {
    this.turn = (this.turn + 1) % Math.max(1, this.all.length);
    return [...this.all.slice(this.turn), ...this.all.slice(0, this.turn)];
  }

  private noteFailure(name: string, error: unknown): void {
    const reason = reasonOf(error);
    if (this.failures.get(name) === reason) return;
    this.failures.set(name, reason);
    this.logger.warn(`Nothing is read from the standby ${name}: ${reason}`);
  }

  private noteSuccess(name: string): void {
    if (this.failures.delete(name)) this.logger.log(`The standby ${name} answers reads again`);
  }
}

function problemOf(report: ReplicaReport): Drawback | undefined {
  if (!report.isStandby) return 'primary';
  if (!report.maySeeTimeline) return 'blind';
  return report.timeline === null ? 'cut-off' : undefined;
}

/** A connection that every address of a host has refused has no text of its own. */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return reasonOf(error.errors[0]);
  return error instanceof Error ? error.message : String(error);
}

function nameOf(url: string): string {
  const { hostname, port } = new URL(url);
  return `${hostname}:${port || '5432'}`;
}
