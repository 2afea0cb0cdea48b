import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/index.js';
import {
  boundedCount,
  Page,
  type PageRequest,
  windowOf,
} from '../../../platform/pagination/index.js';
import { AuditEvent } from './audit-event.entity.js';
import { type AuditFilters, conditionsOf } from './audit-events.query.js';

const TRIM = `
  DELETE FROM audit_events
   WHERE id IN (SELECT id FROM audit_events WHERE created_at < now() - $1 * interval '1 day'
                 ORDER BY created_at, id LIMIT $2)
  RETURNING 1`;

/** Reads the audit log, and deletes what is too old. */
@Injectable()
export class AuditEventsRepository {
  constructor(private readonly database: Database) {}

  /** The newest first. */
  async page(filters: AuditFilters, request: PageRequest): Promise<Page<AuditEvent>> {
    const { conditions, parameters } = conditionsOf(filters);
    const from = `FROM audit_events e WHERE ${conditions.join(' AND ')}`;
    const { offset, limit } = windowOf(request);
    const events = await this.database.entities(
      AuditEvent,
      'e',
      `${from} ORDER BY e.created_at DESC, e.id DESC LIMIT ${String(limit)} OFFSET ${String(offset)}`,
      parameters,
    );
    const counted = await boundedCount(this.database, `SELECT 1 ${from}`, parameters);
    return Page.cut(events, counted, request);
  }

  /** Deletes entries that are older, the oldest first. @returns how many */
  async trim(days: number, limit: number): Promise<number> {
    return (await this.database.rows(TRIM, [days, limit])).length;
  }
}
