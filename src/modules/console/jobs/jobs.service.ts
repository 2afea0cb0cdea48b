import { Injectable } from '@nestjs/common';
import { settlesWithin } from '../../../platform/async/index.js';
import { UnitOfWork } from '../../../platform/database/index.js';
import { recordNotFound } from '../../../platform/errors/index.js';
import { redactSecrets, redactText } from '../../../platform/observability/index.js';
import { mapPage, type Page, type PageRequest } from '../../../platform/pagination/index.js';
import {
  type FailedJob,
  FailedJobsRepository,
  type JobCount,
  type JobDetail,
  type JobName,
  Outbox,
  QueueFactory,
} from '../../../platform/queue/index.js';
import { AuditLog } from '../../audit/index.js';
import type { User } from '../../users/index.js';

/** How long a page waits for the store of the queues. */
const PING_MS = 2_000;

/** The queues, and what they have in the outbox. */
export interface QueueState {
  readonly store: QueueFactory['kind'];
  readonly isAnswering: boolean;
  readonly counts: readonly JobCount[];
}

/** Shows jobs to operators, without secrets, and does what they decide about failed ones. */
@Injectable()
export class ConsoleJobsService {
  constructor(
    private readonly outbox: Outbox,
    private readonly failed: FailedJobsRepository,
    private readonly queues: QueueFactory,
    private readonly work: UnitOfWork,
    private readonly audit: AuditLog,
  ) {}

  async readQueues(): Promise<QueueState> {
    const ping = this.queues.ping().then(
      () => true,
      () => false,
    );
    const counts = await this.outbox.countJobs();
    const isAnswering = (await settlesWithin(ping, PING_MS)) && (await ping);
    return { store: this.queues.kind, isAnswering, counts };
  }

  /** Those that failed last come first. */
  async listFailed(queue: string | undefined, request: PageRequest): Promise<Page<FailedJob>> {
    const page = await this.failed.page(queue, request);
    return mapPage(page, (job) => ({ ...job, error: job.error && redactText(job.error) }));
  }

  /**
   * Reads a job in any state.
   * @throws DomainError record not found
   */
  async read(id: number): Promise<JobDetail> {
    const job = await this.failed.find(String(id));
    if (job === null) throw recordNotFound('job');
    const payload = redactSecrets(job.payload) as JobDetail['payload'];
    return { ...job, payload, error: job.error && redactText(job.error) };
  }

  /**
   * Lets a failed job run again.
   * @param round of the failure, as the form shows it
   * @returns false when the job is not in the state that the form shows
   */
  retry(id: number, round: number, author: User): Promise<boolean> {
    return this.work.run(async () => {
      const job = await this.failed.retry(String(id), round);
      return this.record('job.retried', id, job, author);
    });
  }

  /** Removes a failed job. Parameters and result are as those of `retry`. */
  remove(id: number, round: number, author: User): Promise<boolean> {
    return this.work.run(async () => {
      const job = await this.failed.remove(String(id), round);
      return this.record('job.removed', id, job, author);
    });
  }

  private async record(
    action: 'job.retried' | 'job.removed',
    id: number,
    job: JobName | undefined,
    author: User,
  ): Promise<boolean> {
    if (job === undefined) return false;
    const target = { type: 'job', name: `${job.queue}/${job.name}` } as const;
    // IDs of jobs are larger than those of targets may be.
    await this.audit.record({ action, target, author, details: { id } });
    return true;
  }
}
