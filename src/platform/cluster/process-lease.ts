import { setTimeout as delay } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import { BackgroundLoop } from '../async/index.js';
import { Config } from '../config/index.js';
import { ProcessIdentity } from './process-identity.js';
import {
  type FencedProcess,
  type LeaseOwner,
  ProcessesRepository,
  type ProcessReport,
} from './processes.repository.js';

/** Renewals in the time of a lease: two may fail or be late. */
const RENEWALS = 3;
/** Processes that had to wait for the database for longer may have lost the time in which they renew their leases. */
const LONGEST_GAP = (RENEWALS - 1) / RENEWALS;

type Listener = () => void;

/**
 * The lease of this process (docs/decisions/0060-leases.md). A process renews it in its row; the row's epoch is raised
 * by others once the lease has expired, and their owner loses what it had in that epoch: its sessions of PostgreSQL, its
 * pushes, its jobs and its locks. A process that comes back begins the next epoch. Without `start`, as in commands
 * of the command line, there is no lease.
 */
@Injectable()
export class ProcessLease {
  /** In milliseconds. */
  readonly durationMs: number;
  private readonly logger = new Logger(ProcessLease.name);
  private readonly onLoss: Listener[] = [];
  private readonly onTakeover: Listener[] = [];
  private loop: BackgroundLoop | undefined;
  private isFailing = false;
  private isRegistered = false;
  private epoch = 0;
  private isAmongOthers = false;
  private fencing: Promise<void> | undefined;
  /** The renewal that is under way; it never rejects. */
  private renewing: Promise<void> | undefined;
  /** When the last renewal was sent, and the first since which there was no gap, by the monotonic clock. */
  private renewedAt = -Infinity;
  private steadySince = Infinity;

  constructor(
    readonly identity: ProcessIdentity,
    private readonly processes: ProcessesRepository,
    config: Config,
  ) {
    this.durationMs = config.processLeaseMs;
  }

  /** This process in its present epoch; null without a lease. */
  get owner(): LeaseOwner | null {
    if (!this.isRegistered) return null;
    return { processId: this.identity.id, epoch: this.epoch };
  }

  /** Whether processes of other machines run, which could not end the git processes of this one. */
  get hasPeers(): boolean {
    return this.isAmongOthers;
  }

  /** Calls back whenever others have taken over what this process had. */
  whenLost(listener: Listener): void {
    this.onLoss.push(listener);
  }

  /** Calls back whenever this process has fenced others, so that it takes over what they had. */
  whenTakenOver(listener: Listener): void {
    this.onTakeover.push(listener);
  }

  /**
   * Resolves when the lease was acquired, or could not be: it is then tried again.
   * @param describe what the row says
   */
  async start(describe: () => ProcessReport, renewMs = this.durationMs / RENEWALS): Promise<void> {
    if (this.loop !== undefined) return;
    const renew = (): Promise<void> => this.renew(describe());
    const renewAgain = async (error: unknown): Promise<void> => {
      this.report(error);
      await delay(renewMs / RENEWALS, undefined, { ref: false });
      if (this.loop !== undefined) await renew();
    };
    // One that gets no answer has taken its time until the next.
    const renewTwice = (): Promise<void> => renew().catch(renewAgain);
    const loop = new BackgroundLoop(renewMs, renewTwice, (error) => this.report(error));
    this.loop = loop;
    await renew().catch((error: unknown) => this.report(error));
    loop.start();
  }

  /** Returns the lease. */
  async stop(): Promise<void> {
    const { loop } = this;
    this.loop = undefined;
    if (loop === undefined) return;
    await loop.stop();
    this.isRegistered = false;
    await this.processes.remove(this.identity.id);
  }

  /** Whether an owner has lost what it had in its epoch. */
  async isOver(owner: LeaseOwner): Promise<boolean> {
    return !(await this.processes.isInEpoch(owner));
  }

  /** Fences the processes whose leases have expired, once this one has held its own for long enough to know. */
  fenceSilent(): Promise<void> {
    // All pushes that wait for a takeover ask for it, and renewals use the same connection.
    this.fencing ??= this.fence().finally(() => {
      this.fencing = undefined;
    });
    return this.fencing;
  }

  private async fence(): Promise<void> {
    // It may be about to find that the clock was set, and has made this lease look valid again.
    while (this.renewing !== undefined) await this.renewing;
    // After an outage of the database, all leases have expired. The others get the time of a lease to renew theirs.
    const isSteady = this.renewedAt - this.steadySince >= this.durationMs;
    if (this.owner === null || !isSteady) return;
    const fenced = await this.processes.fenceSilent(this.identity.id);
    await this.processes.endSessionsOfFenced(this.identity.id);
    for (const each of fenced) this.logger.warn(`${describe(each)} is silent: taken over`);
    if (fenced.length > 0) for (const listener of this.onTakeover) listener();
  }

  private async renew(report: ProcessReport): Promise<void> {
    const renewal = this.record(report);
    const renewing = renewal.then(
      () => undefined,
      () => undefined,
    );
    this.renewing = renewing;
    const hasSilent = await renewal.finally(() => {
      if (this.renewing === renewing) this.renewing = undefined;
    });
    if (hasSilent) await this.fenceSilent();
  }

  /** Renews the lease in the row; resolves with whether the leases of others have expired. */
  private async record(report: ProcessReport): Promise<boolean> {
    const sent = performance.now();
    const { machine } = this.identity;
    const lease = { machine, leaseMs: this.durationMs, nextEpoch: this.epoch + 1 };
    const { epoch, hasPeers, hasSilent, gapMs } = await this.processes.renew(report, lease);
    // The monotonic clock stands still while a machine is suspended, and the clock of the database may be set.
    const gap = Math.max(sent - this.renewedAt, gapMs ?? Infinity);
    if (gap > this.durationMs * LONGEST_GAP) this.steadySince = sent;
    this.renewedAt = sent;
    this.isAmongOthers = hasPeers;
    this.isFailing = false;
    this.enter(epoch);
    return hasSilent;
  }

  private enter(epoch: number): void {
    const isLost = this.isRegistered && epoch !== this.epoch;
    this.isRegistered = true;
    this.epoch = epoch;
    if (!isLost) return;
    this.logger.warn('This process was silent for too long: others have taken over its work');
    for (const listener of this.onLoss) listener();
  }

  /** Once per outage: that the database is away is in the log anyway. */
  private report(error: unknown): void {
    if (!this.isFailing) this.logger.warn('The process could not renew its lease', error);
    this.isFailing = true;
  }
}

const describe = ({ role, host, pid }: FencedProcess): string =>
  `Process ${String(pid)} (${role}) of ${host}`;
