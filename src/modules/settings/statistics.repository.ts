import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/index.js';
import { COUNTED_ITEMS } from '../../platform/pagination/index.js';

/** How many of each an instance has. */
export type InstanceCounts = Readonly<Record<keyof typeof COUNTED, number>>;

interface CountedRows {
  readonly table: string;
  readonly where: string;
}

const ACCOUNTS = 'deleted_at IS NULL AND NOT ghost';

const COUNTED = {
  forks: { table: 'fork_links', where: 'true' },
  issues: { table: 'issues', where: 'deleted_at IS NULL' },
  mergeRequests: { table: 'merge_requests', where: 'deleted_at IS NULL' },
  notes: { table: 'notes', where: 'true' },
  sshKeys: { table: 'ssh_keys', where: 'true' },
  milestones: { table: 'milestones', where: 'true' },
  users: { table: 'users', where: ACCOUNTS },
  projects: { table: 'projects', where: 'deleted_at IS NULL' },
  groups: { table: 'namespaces', where: 'owner_id IS NULL AND deleted_at IS NULL' },
  activeUsers: { table: 'users', where: `${ACCOUNTS} AND state = 'active'` },
} as const satisfies Readonly<Record<string, CountedRows>>;

/**
 * Counts what an instance has: exactly up to `COUNTED_ITEMS`. Beyond, a number is the planner's estimate of the table, which takes no
 * longer however large it is.
 */
@Injectable()
export class StatisticsRepository {
  constructor(private readonly database: Database) {}

  /** Counts everything with one statement. */
  async count(): Promise<InstanceCounts> {
    const [row] = await this.database.rows<InstanceCounts>(COUNTS);
    if (row === undefined) throw new Error('A statement without FROM has a row');
    return row;
  }
}

const countOf = ({ table, where }: CountedRows): string => `(
  SELECT CASE WHEN counted <= ${String(COUNTED_ITEMS)} THEN counted
              ELSE greatest(counted, (SELECT reltuples::bigint FROM pg_class
                                       WHERE oid = '${table}'::regclass)) END::int
    FROM (SELECT count(*) AS counted
            FROM (SELECT 1 FROM ${table} WHERE ${where} LIMIT ${String(COUNTED_ITEMS + 1)}) bounded) c)`;

const COUNTS = `
  SELECT ${Object.entries(COUNTED)
    .map(([name, rows]) => `${countOf(rows)} AS "${name}"`)
    .join(', ')}`;
