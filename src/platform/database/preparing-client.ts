import type pg from 'pg';
import { databaseStatements, statementDuration } from '../metrics/index.js';
import { countStatement, spanOf } from '../tracing/index.js';
import { FailoverClient, type FailoverClientConfig } from './connections/failover-client.js';
import { PLANNED } from './parameters.js';
import type { StatementGroup } from './statement-group.js';
import { BEGIN, TransactionPipeline } from './transaction-pipeline.js';

/** Texts beyond this many are sent unprepared, so that no server process keeps too many plans. */
const MAX_STATEMENTS = 500;

const names = new Map<string, string>();

export interface PreparingClientConfig extends FailoverClientConfig {
  /** False behind a pooler that lends another session to each transaction: names belong to the session. Default: true. */
  preparesStatements?: boolean | undefined;
}

/**
 * A connection on which every statement with parameters is prepared under a name: from its second
 * run on PostgreSQL neither parses nor, mostly, plans it. Transactions are pipelined.
 */
export class PreparingClient extends FailoverClient {
  private readonly preparesStatements: boolean;
  private readonly transaction: TransactionPipeline;

  constructor(config: PreparingClientConfig = {}) {
    super(config);
    this.preparesStatements = config.preparesStatements ?? true;
    const driver = {
      send: (text: string) => super.query(text),
      submit: (group: StatementGroup) => void super.query(group),
    };
    this.transaction = new TransactionPipeline(driver, this.preparesStatements);
  }

  // The overloads of pg are many; all that counts here is a text with values, as TypeORM sends it.
  override readonly query = ((text: unknown, values?: unknown, ...rest: unknown[]) => {
    const send = super.query.bind(this) as (...parameters: unknown[]) => unknown;
    if (typeof text !== 'string') return send(text, values, ...rest);
    databaseStatements.inc();
    countStatement();
    const given = Array.isArray(values) ? (values as unknown[]) : [];
    const name = this.preparesStatements ? nameOf(text, given) : null;
    const hasCallback = typeof values === 'function' || rest.length > 0;
    if (hasCallback) {
      return name === null ? send(text, values, ...rest) : send({ name, text, values }, ...rest);
    }
    return observed(text, () => {
      if (this.transaction.takes(text)) {
        return this.transaction.run({ name, text, values: given });
      }
      const result = name === null ? send(text, values) : send({ name, text, values });
      return result as Promise<pg.QueryResult>;
    });
  }) as pg.Client['query'];
}

/** Sends a statement, and observes when it has its result. `BEGIN` is sent with the statement after it. */
function observed(text: string, send: () => Promise<pg.QueryResult>): Promise<pg.QueryResult> {
  if (text === BEGIN) return send();
  const span = spanOf(() => [
    operationOf(text),
    { kind: 'client', attributes: { 'db.system.name': 'postgresql', 'db.query.text': text } },
  ]);
  const sent = performance.now();
  const result = send();
  const observe = (failure?: unknown): void => {
    statementDuration.observe((performance.now() - sent) / 1000);
    span?.end(failure);
  };
  result.then(() => observe(), observe);
  return result;
}

/** The first word of a statement, by which its span is named. */
const operationOf = (text: string): string => /[A-Za-z]+/.exec(text)?.[0].toUpperCase() ?? 'SQL';

function nameOf(text: string, values: readonly unknown[]): string | null {
  if (values.length === 0 || text.includes(PLANNED)) return null;
  const known = names.get(text);
  if (known !== undefined || names.size >= MAX_STATEMENTS) return known ?? null;
  const name = `trellis_${String(names.size)}`;
  names.set(text, name);
  return name;
}
