import { createHash } from 'node:crypto';
import type pg from 'pg';
import type { RanStatement } from './statements.js';
import type { Trellis } from './trellis.js';

interface PlanNode {
  'Node Type': string;
  'Relation Name'?: string;
  Plans?: PlanNode[];
}

/** The tables that PostgreSQL reads from end to end for a statement. */
export async function tablesReadWhole(
  trellis: Trellis,
  { sql, parameters }: RanStatement,
): Promise<string[]> {
  const [row] = await trellis.rows<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
    `EXPLAIN (FORMAT JSON) ${sql}`,
    parameters,
  );
  return readWhole(row!['QUERY PLAN'][0].Plan);
}

function readWhole({ Plans = [], ...node }: PlanNode): string[] {
  const own = node['Node Type'] === 'Seq Scan' ? [node['Relation Name'] ?? ''] : [];
  return [...own, ...Plans.flatMap(readWhole)];
}

/** How PostgreSQL plans a prepared statement that runs again and again. */
export interface KeptPlan {
  /** Whether it keeps a plan after the first five runs; otherwise it plans each run. */
  isKept: boolean;
  /** The tables that this plan reads from end to end. */
  readWhole: string[];
}

/** Prepares a statement on a connection and runs it as often as PostgreSQL needs to decide. */
export async function keptPlan(
  client: pg.Client,
  { sql, parameters }: RanStatement,
): Promise<KeptPlan> {
  const name = `examined_${createHash('md5').update(sql).digest('hex')}`;
  for (let run = 0; run < 7; run += 1) {
    await client.query({ name, text: sql, values: parameters });
  }
  const { rows } = await client.query<{ kept: string }>(
    'SELECT generic_plans AS kept FROM pg_prepared_statements WHERE name = $1',
    [name],
  );
  const plan = await client.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
    `EXPLAIN (GENERIC_PLAN, FORMAT JSON) ${sql}`,
  );
  return {
    isKept: Number(rows[0]?.kept) > 0,
    readWhole: readWhole(plan.rows[0]!['QUERY PLAN'][0].Plan),
  };
}
