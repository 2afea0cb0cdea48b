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
