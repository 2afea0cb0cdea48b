import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/index.js';
import { boundedCount, Page, type PageRequest, windowOf } from '../../../platform/pages/index.js';
import type { AuditAction, AuditTargetType } from './audit-actions.js';
import { AuditEvent } from './audit-event.entity.js';

/** Which entries of the audit log are wanted; all of them where nothing is given. */
export interface AuditFilters {
  readonly authorId?: number | undefined;
  readonly action?: AuditAction | undefined;
  readonly targetType?: AuditTargetType | undefined;
  readonly targetId?: number | undefined;
  readonly projectId?: number | undefined;
  readonly groupId?: number | undefined;
  /** An IP address. */
  readonly ip?: string | undefined;
  /** At this time or later. */
  readonly createdAfter?: Date | undefined;
  /** Before this time. */
  readonly createdBefore?: Date | undefined;
}

/** The last entry that was read. */
type Position = Pick<AuditEvent, 'createdAt' | 'id'>;

const CONDITIONS: Readonly<Record<keyof AuditFilters, (parameter: string) => string>> = {
  authorId: (value) => `e.author_id = ${value}`,
  action: (value) => `e.action = ${value}`,
  targetType: (value) => `e.target_type = ${value}`,
  targetId: (value) => `e.target_id = ${value}`,
  projectId: (value) => `e.project_id = ${value}`,
  groupId: (value) => `e.group_id = ${value}`,
  ip: (value) => `e.ip = ${value}::inet`,
  createdAfter: (value) => `e.created_at >= ${value}`,
  createdBefore: (value) => `e.created_at < ${value}`,
};

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

  /** The oldest first, those behind a position. */
  findAfter(
    filters: AuditFilters,
    after: Position | undefined,
    limit: number,
  ): Promise<AuditEvent[]> {
    const { conditions, parameters } = conditionsOf(filters);
    if (after !== undefined) {
      const time = parameters.push(after.createdAt);
      const id = parameters.push(after.id);
      conditions.push(`(e.created_at, e.id) > ($${String(time)}, $${String(id)})`);
    }
    return this.database.entities(
      AuditEvent,
      'e',
      `FROM audit_events e WHERE ${conditions.join(' AND ')}
        ORDER BY e.created_at, e.id LIMIT ${String(limit)}`,
      parameters,
    );
  }

  /** Deletes entries that are older, the oldest first. @returns how many */
  async trim(days: number, limit: number): Promise<number> {
    return (await this.database.rows(TRIM, [days, limit])).length;
  }
}

function conditionsOf(filters: AuditFilters): { conditions: string[]; parameters: unknown[] } {
  const parameters: unknown[] = [];
  const conditions = Object.entries(filters)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) =>
      CONDITIONS[name as keyof AuditFilters](`$${String(parameters.push(value))}`),
    );
  return { conditions: ['true', ...conditions], parameters };
}
