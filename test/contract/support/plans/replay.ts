import pg from 'pg';
import type { RanStatement } from '../../../support/statements.js';

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Rows Removed by Index Recheck'?: number;
  readonly 'Shared Hit Blocks': number;
  readonly 'Shared Read Blocks': number;
  readonly Plans?: readonly PlanNode[];
}

/** A statement as `auto_explain` describes it; one of a trigger, too. */
export interface ExecutedStatement {
  readonly sql: string;
  /** What it answers, changes or sums up. */
  readonly answered: number;
  /** Rows read, those that conditions leave out included. */
  readonly rows: number;
  readonly buffers: number;
  /** How it reads each table, for messages. */
  readonly scans: string;
}

const SETTINGS = `
  LOAD 'auto_explain';
  SET auto_explain.log_min_duration = 0;
  SET auto_explain.log_analyze = on;
  SET auto_explain.log_buffers = on;
  SET auto_explain.log_timing = off;
  SET auto_explain.log_nested_statements = on;
  SET auto_explain.log_format = json;
  SET auto_explain.log_level = notice;
  SET statement_timeout = '5s';
  SET TimeZone = 'UTC'`;

const WITHOUT_STATISTICS = `
  DELETE FROM pg_statistic;
  UPDATE pg_class SET reltuples = -1, relpages = 0, relallvisible = 0
   WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'i')`;

/** Executes statements of an application again, on a connection of a superuser, and rolls each back. */
export class Replay {
  private executed: ExecutedStatement[] = [];
  private readonly names = new Map<string, string>();

  private constructor(private readonly client: pg.Client) {}

  /** Deletes all statistics of a database first. */
  static async withoutStatistics(url: string, plans: 'custom' | 'generic'): Promise<Replay> {
    const deleting = new pg.Client({ connectionString: url });
    await deleting.connect();
    await deleting.query(WITHOUT_STATISTICS);
    await deleting.end();
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    const replay = new Replay(client);
    client.on('notice', ({ message = '' }) => replay.note(message));
    await client.query(`${SETTINGS}; SET plan_cache_mode = force_${plans}_plan`);
    return replay;
  }

  /** Runs a statement in a transaction with these settings. The plan of a text is kept with generic plans. */
  async run(
    { sql, parameters }: RanStatement,
    settings: string | null,
  ): Promise<ExecutedStatement[]> {
    const name = this.names.get(sql) ?? `replayed_${String(this.names.size)}`;
    this.names.set(sql, name);
    await this.client.query('BEGIN');
    if (settings !== null) await this.client.query(settings);
    this.executed = [];
    await this.client.query({ name, text: sql, values: parameters }).catch((error: unknown) => {
      // Rows that another request has written meanwhile are missing.
      if (!/violates|timeout/.test(String(error))) throw error;
      if (String(error).includes('timeout')) this.executed.push(timedOut(sql));
    });
    const { executed } = this;
    await this.client.query('ROLLBACK');
    return executed;
  }

  /** Runs statements that are kept. */
  async apply(statements: readonly string[]): Promise<void> {
    await this.client.query('SET auto_explain.log_min_duration = -1; SET statement_timeout = 0');
    for (const statement of statements) await this.client.query(statement);
    await this.client.query(`SET auto_explain.log_min_duration = 0; SET statement_timeout = '5s'`);
  }

  end(): Promise<void> {
    return this.client.end();
  }

  private note(message: string): void {
    const [, json] = /^duration: .*? plan:\n([^]*)$/.exec(message) ?? [];
    if (json === undefined) return;
    const { 'Query Text': sql, Plan: plan } = JSON.parse(json) as {
      'Query Text': string;
      Plan: PlanNode;
    };
    this.executed.push({ sql, ...effortOf(plan) });
  }
}

const timedOut = (sql: string): ExecutedStatement => ({
  ...{ sql, answered: 0, rows: Infinity, buffers: Infinity, scans: 'takes too long' },
});

function effortOf(plan: PlanNode): Omit<ExecutedStatement, 'sql'> {
  const nodes = allNodes(plan);
  const summed = nodes
    .filter((node) => /Aggregate|Unique|ModifyTable|WindowAgg/.test(node['Node Type']))
    .flatMap((node) => (node.Plans ?? []).slice(0, 1).map(rowsOf));
  const scans = nodes.filter((node) => node['Relation Name'] !== undefined && isScan(node));
  return {
    answered: Math.max(1, plan['Actual Rows'], ...summed),
    rows: scans.reduce((sum, node) => sum + rowsRead(node), 0),
    buffers: plan['Shared Hit Blocks'] + plan['Shared Read Blocks'],
    scans: scans
      .filter((node) => rowsRead(node) > 20)
      .map((node) =>
        [
          node['Node Type'],
          node['Index Name'] ?? node['Relation Name'],
          `${String(rowsRead(node))} rows in ${String(node['Actual Loops'])} scans`,
        ].join(' '),
      )
      .join(', '),
  };
}

const allNodes = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(allNodes)];

const isScan = (node: PlanNode): boolean => node['Node Type'].endsWith('Scan');

const rowsOf = (node: PlanNode): number => node['Actual Rows'] * node['Actual Loops'];

function rowsRead(node: PlanNode): number {
  const removed =
    (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0);
  return rowsOf(node) + removed * node['Actual Loops'];
}
