import type pg from 'pg';
import { type GroupedStatement, StatementGroup } from './statement-group.js';

// As TypeORM spells them.
export const BEGIN = 'START TRANSACTION';
const COMMIT = 'COMMIT';
const ROLLBACK = 'ROLLBACK';

/** The statements without parameters that are sent in groups. */
const PREPARED: ReadonlyMap<string, string> = new Map([
  [BEGIN, 'trellis_begin'],
  [COMMIT, 'trellis_commit'],
]);

interface Driver {
  /** Sends a text without parameters, which may hold several statements. */
  send(text: string): Promise<pg.QueryResult>;
  submit(group: StatementGroup): void;
}

/**
 * Sends the statements of a connection's transactions in as few round trips as their order allows. `BEGIN` is sent
 * with the first statement, so a transaction without any sends nothing. Statements that are run in one turn of the
 * event loop, or while others are under way, are sent together.
 */
export class TransactionPipeline {
  private state: 'none' | 'open' | 'ending' = 'none';
  private waiting: GroupedStatement[] = [];
  private isSending = false;
  /** Why nothing of the transaction may be sent any more, while PostgreSQL knows of no failure. */
  private lost: Error | undefined;

  /** @param prepares whether names of prepared statements last for the connection */
  constructor(
    private readonly driver: Driver,
    private readonly prepares = true,
  ) {}

  /** Whether a statement is part of a transaction. */
  takes(text: string): boolean {
    return this.state !== 'none' || text === BEGIN;
  }

  /** Runs a statement of a transaction. */
  run({ name, text, values }: Statement): Promise<pg.QueryResult> {
    const ownName = this.prepares ? PREPARED.get(text) : undefined;
    const statement = { name: name ?? ownName ?? null, text, values };
    if (text === BEGIN) return this.begin(statement);
    if (text === COMMIT || text === ROLLBACK) return this.end(statement);
    if (this.state === 'open') return this.add(statement);
    return Promise.reject(new Error('The transaction has ended'));
  }

  private begin(statement: Statement): Promise<pg.QueryResult> {
    this.state = 'open';
    this.lost = undefined;
    const ignore = (): void => undefined;
    // After a BEGIN that failed, each statement would commit by itself.
    this.waiting.push({ ...statement, resolve: ignore, reject: this.lose });
    return Promise.resolve(NO_RESULT);
  }

  private async end(statement: Statement): Promise<pg.QueryResult> {
    this.state = 'ending';
    try {
      if (this.isSending || this.waiting[0]?.text !== BEGIN) return await this.add(statement);
      this.waiting = [];
      return NO_RESULT;
    } finally {
      this.state = 'none';
    }
  }

  private add(statement: Statement): Promise<pg.QueryResult> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ ...statement, resolve, reject });
      this.schedule();
    });
  }

  private schedule(): void {
    if (this.isSending) return;
    this.isSending = true;
    process.nextTick(() => this.send());
  }

  private readonly lose = (reason: Error): void => {
    this.lost = reason;
  };

  private send(): void {
    if (this.lost !== undefined) this.refuseWaiting(this.lost);
    const [first] = this.waiting;
    if (first === undefined) {
      this.isSending = false;
      return;
    }
    if (isSentAlone(first)) this.sendAlone(first);
    else this.sendGroup();
  }

  private refuseWaiting(reason: Error): void {
    const refused = this.waiting.filter(({ text }) => text !== ROLLBACK);
    this.waiting = this.waiting.filter(({ text }) => text === ROLLBACK);
    for (const { reject } of refused) reject(reason);
  }

  private sendAlone({ text, resolve, reject }: GroupedStatement): void {
    this.waiting.shift();
    this.driver.send(text).then(
      (result) => {
        this.finish();
        resolve(result);
      },
      (error: unknown) => {
        this.finish();
        reject(error as Error);
      },
    );
  }

  private sendGroup(): void {
    const end = this.waiting.findIndex(isSentAlone);
    const statements = this.waiting.splice(0, end < 0 ? this.waiting.length : end);
    const followed = { onEnd: () => this.finish(), onUnsent: this.lose };
    this.driver.submit(new StatementGroup(statements, followed));
  }

  private finish(): void {
    this.isSending = false;
    if (this.waiting.length > 0) this.schedule();
  }
}

type Statement = Pick<GroupedStatement, 'name' | 'text' | 'values'>;

/** What TypeORM reads of a result. */
const NO_RESULT = { rows: [], rowCount: 0, command: '' } as unknown as pg.QueryResult;

/**
 * Whether a statement must not be in a group: `ROLLBACK`, which PostgreSQL would skip after a failure, and what may be
 * several statements in one text.
 */
const isSentAlone = ({ text, values }: GroupedStatement): boolean =>
  values.length === 0 && !PREPARED.has(text);
