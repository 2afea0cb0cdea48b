import { Injectable } from '@nestjs/common';
import type { Page, PageRequest } from '../../platform/pages/index.js';
import type { AuditEvent } from './model/audit-event.entity.js';
import { type AuditFilters, AuditEventsRepository } from './model/audit-events.repository.js';

/** Entries that an export holds in memory. */
const BATCH = 1_000;

/** Shows the audit log. Callers check that the reader is an administrator. */
@Injectable()
export class AuditEventsService {
  constructor(private readonly events: AuditEventsRepository) {}

  /** The newest first. */
  list(filters: AuditFilters, request: PageRequest): Promise<Page<AuditEvent>> {
    return this.events.page(filters, request);
  }

  /** The oldest first, read in batches. */
  async *readAll(filters: AuditFilters): AsyncGenerator<AuditEvent> {
    let last: AuditEvent | undefined;
    do {
      const batch = await this.events.findAfter(filters, last, BATCH);
      yield* batch;
      last = batch.length < BATCH ? undefined : batch.at(-1);
    } while (last !== undefined);
  }
}
