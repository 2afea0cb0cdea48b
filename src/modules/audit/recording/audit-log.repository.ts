import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { asStored, Database } from '../../../platform/database/index.js';
import type { AuditAction, AuditTargetType } from '../model/audit-actions.js';
import type { AuditDetails, AuditValue } from '../model/audit-event.entity.js';
import { auditOrigin, type AuditUser, originOf, toInet } from './audit-origin.js';

/** What was done, and to what. Who did it is known by the request. */
export interface AuditRecord {
  readonly action: AuditAction;
  readonly target?: {
    readonly type: AuditTargetType;
    readonly id?: number | null;
    readonly name?: string | null;
  };
  readonly projectId?: number | null;
  readonly groupId?: number | null;
  readonly details?: AuditDetails;
  /** Where the request itself is anonymous, as a sign-in is. */
  readonly author?: AuditUser;
  readonly administrator?: AuditUser;
  /** What acted where no account did, and no address shows it. */
  readonly agent?: Agent;
  /** Where the route is without `Audits`. */
  readonly ip?: string;
  readonly requestId?: string | null;
}

/** What acts where no account does. */
type Agent = 'anonymous' | 'command line' | 'system';

const MAX_NAME = 255;
const MAX_ITEMS = 50;

const RECORD = `
  INSERT INTO audit_events
         (action, author_id, author_name, administrator_id, administrator_name,
          target_type, target_id, target_name, project_id, group_id, ip, request_id, details)
  SELECT action, author_id, author_name, administrator_id, administrator_name,
         target_type, target_id, target_name, project_id, group_id, ip, request_id, details
    FROM jsonb_to_recordset($1::jsonb)
         AS event (action varchar, author_id int, author_name varchar,
                   administrator_id int, administrator_name varchar,
                   target_type varchar, target_id int, target_name varchar,
                   project_id int, group_id int, ip inet, request_id varchar, details jsonb)`;

/** Records who did what to which target, for administrators. See docs/decisions/0057-audit-log.md. */
@Injectable()
export class AuditLog {
  private agent: Agent = 'system';

  constructor(private readonly database: Database) {}

  /** Has what no request does recorded as done on the command line. */
  actAsCommandLine(): void {
    this.agent = 'command line';
  }

  /**
   * Records events in the caller's unit of work, right before its `COMMIT` and in the same round trip: they are there
   * exactly if what they say has been done. Outside a unit of work they are inserted at once.
   */
  async record(...records: readonly AuditRecord[]): Promise<void> {
    if (records.length === 0) return;
    const rows = records.map((record) => this.rowOf(record));
    await this.database.runAtCommit(RECORD, [JSON.stringify(rows)]);
  }

  /** Records events of a request whose route is without `Audits`. */
  async recordFor(request: Request, ...records: readonly AuditRecord[]): Promise<void> {
    await auditOrigin.run(originOf(request), () => this.record(...records));
  }

  private rowOf(record: AuditRecord): object {
    const origin = auditOrigin.getStore();
    const author = record.author ?? origin?.author ?? null;
    const administrator = record.administrator ?? origin?.administrator ?? null;
    const ip = record.ip ?? origin?.ip;
    const { target } = record;
    const name = target?.name ?? null;
    return {
      action: record.action,
      author_id: author?.id,
      author_name:
        author?.username ?? record.agent ?? (ip === undefined ? this.agent : 'anonymous'),
      administrator_id: administrator?.id,
      administrator_name: administrator?.username,
      target_type: target?.type,
      target_id: target?.id,
      target_name: name === null ? null : bounded(name),
      project_id: record.projectId,
      group_id: record.groupId,
      ip: ip === undefined ? null : toInet(ip),
      request_id: record.requestId ?? origin?.requestId,
      details: boundedValue(record.details ?? {}),
    };
  }
}

/** Cuts long texts and lists, so that no request can fill the log. */
function boundedValue(value: AuditValue): AuditValue {
  if (typeof value === 'string') return bounded(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    return (value as readonly AuditValue[]).slice(0, MAX_ITEMS).map(boundedValue);
  }
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, boundedValue(item)]));
}

/** A text of at most 255 characters that PostgreSQL takes as JSON: without NUL and halves of characters. */
function bounded(text: string): string {
  const wellFormed = asStored(text.slice(0, 2 * MAX_NAME));
  const characters = [...wellFormed];
  if (characters.length <= MAX_NAME) return wellFormed;
  return `${characters.slice(0, MAX_NAME - 1).join('')}…`;
}
