import { Injectable } from '@nestjs/common';
import { Config } from '../../platform/config/index.js';
import {
  defineRecurringJob,
  HandlesJob,
  type JobContext,
  type JobHandler,
} from '../../platform/queue/index.js';
import { AuditEventsRepository } from './model/audit-events.repository.js';

/** Rows that are deleted with one statement. */
const BATCH = 1_000;

export const trimAuditEvents = defineRecurringJob({
  queue: 'maintenance',
  name: 'trim-audit-events',
  everyMs: 60 * 60_000,
  timeLimitMs: 10 * 60_000,
});

/** Deletes entries of the audit log that are older than `AUDIT_RETENTION_DAYS`. */
@Injectable()
@HandlesJob(trimAuditEvents)
export class TrimAuditEventsJob implements JobHandler {
  constructor(
    private readonly config: Config,
    private readonly events: AuditEventsRepository,
  ) {}

  async handle(_: Record<string, never>, { signal }: Pick<JobContext, 'signal'>): Promise<void> {
    const days = this.config.auditRetentionDays;
    while (!signal.aborted && (await this.events.trim(days, BATCH)) === BATCH);
  }
}
