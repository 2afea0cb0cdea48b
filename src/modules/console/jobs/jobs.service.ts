import { Injectable } from '@nestjs/common';
import { settlesWithin } from '../../../platform/async/index.js';
import { recordNotFound } from '../../../platform/errors/index.js';
import { redactSecrets, redactText } from '../../../platform/observability/index.js';
import type { Page, PageRequest } from '../../../platform/pages/index.js';
import {
  type FailedJob,
  FailedJobsRepository,
  type JobCount,
  type JobDetail,
  Outbox,
  QueueFactory,
} from '../../../platform/queue/index.js';
import { mapPage } from '../../../platform/pages/index.js';

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
    if (job === null) throw recordNotFound();
    const payload = redactSecrets(job.payload) as JobDetail['payload'];
    return { ...job, payload, error: job.error && redactText(job.error) };
  }

  /**
   * Lets a failed job run again.
   * @param round of the failure, as the form shows it
   * @returns false when the job is not in the state that the form shows
   */
  async retry(id: number, round: number): Promise<boolean> {
    return (await this.failed.retry(String(id), round)) !== undefined;
  }

  /** Removes a failed job. Parameters and result are as those of `retry`. */
  async remove(id: number, round: number): Promise<boolean> {
    return (await this.failed.remove(String(id), round)) !== undefined;
  }
}
