import type { Statements } from '../../../platform/database/index.js';
import type { AuditAction, AuditTargetType } from './audit-actions.js';
import type { AuditEvent } from './audit-event.entity.js';

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

/** The columns of an entry, by the names of its properties. */
const COLUMNS: Readonly<Record<keyof AuditEvent, string>> = {
  id: 'id',
  createdAt: 'created_at',
  action: 'action',
  authorId: 'author_id',
  authorName: 'author_name',
  administratorId: 'administrator_id',
  administratorName: 'administrator_name',
  targetType: 'target_type',
  targetId: 'target_id',
  targetName: 'target_name',
  projectId: 'project_id',
  groupId: 'group_id',
  ip: 'ip',
  requestId: 'request_id',
  details: 'details',
};
const SELECTED = Object.entries(COLUMNS)
  .map(([property, column]) => `e.${column} AS "${property}"`)
  .join(', ');

/** Entries that an export holds in memory. */
const BATCH = 1_000;

/** Reads the entries of the audit log, the oldest first, in batches. */
export async function* readAuditEvents(
  statements: Statements,
  filters: AuditFilters,
): AsyncGenerator<AuditEvent> {
  let last: AuditEvent | undefined;
  do {
    const batch = await findAfter(statements, filters, last);
    yield* batch;
    last = batch.length < BATCH ? undefined : batch.at(-1);
  } while (last !== undefined);
}

function findAfter(
  statements: Statements,
  filters: AuditFilters,
  after: Position | undefined,
): Promise<AuditEvent[]> {
  const { conditions, parameters } = conditionsOf(filters);
  if (after !== undefined) {
    const time = parameters.push(after.createdAt);
    const id = parameters.push(after.id);
    conditions.push(`(e.created_at, e.id) > ($${String(time)}, $${String(id)})`);
  }
  return statements.rows<AuditEvent>(
    `SELECT ${SELECTED} FROM audit_events e WHERE ${conditions.join(' AND ')}
      ORDER BY e.created_at, e.id LIMIT ${String(BATCH)}`,
    parameters,
  );
}

export function conditionsOf(filters: AuditFilters): {
  conditions: string[];
  parameters: unknown[];
} {
  const parameters: unknown[] = [];
  const conditions = Object.entries(filters)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) =>
      CONDITIONS[name as keyof AuditFilters](`$${String(parameters.push(value))}`),
    );
  return { conditions: ['true', ...conditions], parameters };
}
