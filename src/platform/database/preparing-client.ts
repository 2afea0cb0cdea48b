import pg from 'pg';
import { databaseStatements } from '../metrics/index.js';
import { TransactionPipeline } from './transaction-pipeline.js';

/** Texts beyond this many are sent unprepared, so that no server process keeps too many plans. */
const MAX_STATEMENTS = 500;

const names = new Map<string, string>();

/**
 * What a statement holds (as a comment) when it is planned anew for its values each time: a statement
 * whose best way depends on them, or whose text has too many forms to keep. The comment may stand in
 * a subquery, since a count is written around the statement that it counts.
 */
export const PLANNED_EACH_TIME = 'planned for its values';
/** The same as it stands in a statement. */
export const PLANNED = `/* ${PLANNED_EACH_TIME} */`;

/**
 * A connection on which every statement with parameters is prepared under a name: from its second
 * run on PostgreSQL neither parses nor, mostly, plans it. Names belong to the session, so a pooler
 * in transaction mode cannot stand in between. Transactions are pipelined.
 */
export class PreparingClient extends pg.Client {
  private readonly transaction = new TransactionPipeline({
    send: (text) => super.query(text),
    submit: (group) => void super.query(group),
  });

  // The overloads of pg are many; all that counts here is a text with values, as TypeORM sends it.
  override readonly query = ((text: unknown, values?: unknown, ...rest: unknown[]) => {
    const send = super.query.bind(this) as (...parameters: unknown[]) => unknown;
    if (typeof text !== 'string') return send(text, values, ...rest);
    databaseStatements.inc();
    const given = Array.isArray(values) ? (values as unknown[]) : [];
    const name = nameOf(text, given);
    const hasCallback = typeof values === 'function' || rest.length > 0;
    if (!hasCallback && this.transaction.takes(text)) {
      return this.transaction.run({ name, text, values: given });
    }
    return name === null ? send(text, values, ...rest) : send({ name, text, values }, ...rest);
  }) as pg.Client['query'];
}

function nameOf(text: string, values: readonly unknown[]): string | null {
  if (values.length === 0 || text.includes(PLANNED)) return null;
  const known = names.get(text);
  if (known !== undefined || names.size >= MAX_STATEMENTS) return known ?? null;
  const name = `trellis_${String(names.size)}`;
  names.set(text, name);
  return name;
}
