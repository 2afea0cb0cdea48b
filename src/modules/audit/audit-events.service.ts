import { Injectable } from '@nestjs/common';
import type { Page, PageRequest } from '../../platform/pagination/index.js';
import type { AuditEvent } from './model/audit-event.entity.js';
import type { AuditFilters } from './model/audit-events.query.js';
import { AuditEventsRepository } from './model/audit-events.repository.js';

/** Shows the audit log. Callers check that the reader is an administrator. */
@Injectable()
export class AuditEventsService {
  constructor(private readonly events: AuditEventsRepository) {}

  /** The newest first. */
  list(filters: AuditFilters, request: PageRequest): Promise<Page<AuditEvent>> {
    return this.events.page(filters, request);
  }
}
