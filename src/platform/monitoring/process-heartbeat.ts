import { Injectable, Logger } from '@nestjs/common';
import { BackgroundLoop, settlesWithin } from '../async/index.js';
import { ProcessLease, type ProcessReport, type ProcessRole } from '../cluster/index.js';
import { Config, programVersion } from '../config/index.js';
import { Database } from '../database/index.js';
import { EventLoopDelay } from './event-loop-delay.js';
import { ProcessStatisticsRepository } from './process-statistics.repository.js';
import { readWorkTotals, workBetween, type WorkTotals } from './work-totals.js';

/** Between two looks at whether five minutes are over. */
const LOOK_MS = 5_000;
/** What statistics sum up; the periods begin with the epoch. */
export const STATISTICS_PERIOD_MS = 5 * 60_000;
// A database that does not answer must not keep the process from ending.
const STOP_MS = 2_000;

/** The life of a process in the tables. */
interface Life {
  readonly role: ProcessRole;
  readonly delay: EventLoopDelay;
  readonly loop: BackgroundLoop;
}

/**
 * Describes this process in the row that it renews with its lease, and writes statistics of what it did every five minutes, for
 * the operators' console. What fails is tried again later and harms nothing else. Commands of the command line have no
 * row: they do not start it.
 */
@Injectable()
export class ProcessHeartbeat {
  private readonly logger = new Logger(ProcessHeartbeat.name);
  private life: Life | undefined;
  private isFailing = false;
  /** The delay of the event loop in the worst beat of the five minutes. */
  private worstDelayMs = 0;
  private period = 0;
  private before: WorkTotals | undefined;

  constructor(
    private readonly lease: ProcessLease,
    private readonly statistics: ProcessStatisticsRepository,
    private readonly database: Database,
    private readonly config: Config,
  ) {}

  /**
   * Resolves when the process is registered, or could not be, which is then tried again.
   * @param renewMs milliseconds between two beats, others in tests
   */
  async start(role: ProcessRole, renewMs?: number): Promise<void> {
    if (this.life !== undefined) return;
    const life: Life = {
      role,
      delay: new EventLoopDelay(),
      // Not with the lease: statistics wait for a connection of the pool.
      loop: new BackgroundLoop(
        renewMs ?? LOOK_MS,
        () => this.look(life),
        (error) => this.report(error),
      ),
    };
    this.period = periodAt(Date.now());
    this.life = life;
    life.loop.start();
    await this.lease.start(() => this.describe(life), renewMs);
  }

  /** Deletes the row and writes the last statistics; does nothing if it was not started. */
  async stop(): Promise<void> {
    const { life } = this;
    this.life = undefined;
    if (life === undefined) return;
    const ended = this.end(life).catch((error: unknown) => this.report(error));
    await settlesWithin(ended, STOP_MS);
  }

  private describe({ role, delay }: Life): ProcessReport {
    const { id, host } = this.lease.identity;
    const delayMs = delay.take();
    this.worstDelayMs = Math.max(this.worstDelayMs, delayMs);
    const { used, waiting } = this.database.connectionCounts();
    return {
      id,
      role,
      host,
      version: programVersion(),
      pid: process.pid,
      startedAt: new Date(performance.timeOrigin),
      memoryBytes: process.memoryUsage.rss(),
      eventLoopDelayMs: delayMs,
      connectionsUsed: used,
      connectionsWaiting: waiting,
      connectionsLimit: this.config.database.poolSize,
    };
  }

  private async look(life: Life): Promise<void> {
    this.before ??= await readWorkTotals();
    if (periodAt(Date.now()) !== this.period) await this.summarize(life);
    this.isFailing = false;
  }

  private async end({ loop, ...life }: Life): Promise<void> {
    await Promise.all([loop.stop(), this.lease.stop()]);
    this.worstDelayMs = Math.max(this.worstDelayMs, life.delay.take());
    life.delay.stop();
    await this.summarize(life);
  }

  /** Writes the statistics of the period that has ended. Those that cannot be written are lost, rather than counted in the next. */
  private async summarize({ role }: Pick<Life, 'role'>): Promise<void> {
    const { before, period, worstDelayMs } = this;
    const after = await readWorkTotals();
    [this.before, this.period, this.worstDelayMs] = [after, periodAt(Date.now()), 0];
    if (before === undefined) return;
    await this.statistics.add({
      ...workBetween(before, after),
      periodStart: new Date(period * STATISTICS_PERIOD_MS),
      processId: this.lease.identity.id,
      role,
      eventLoopDelayMs: worstDelayMs,
      memoryBytes: process.memoryUsage.rss(),
    });
  }

  /** Once per outage: that the database is away is in the log anyway. */
  private report(error: unknown): void {
    if (!this.isFailing) this.logger.warn('The process could not write its statistics', error);
    this.isFailing = true;
  }
}

const periodAt = (ms: number): number => Math.floor(ms / STATISTICS_PERIOD_MS);
