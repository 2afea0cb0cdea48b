import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/index.js';
import { AccountErasure } from '../users/index.js';
import type { IssuableKind } from './issuable.js';

const CHUNK = 1_000;

/** What a deleted account leaves on the issues or merge requests of others (open points 5.15). */
@Injectable()
export class IssuableErasure {
  constructor(
    private readonly database: Database,
    private readonly erasure: AccountErasure,
  ) {}

  /**
   * What the account wrote, and whatever else it did, becomes the ghost's; what it was to work on,
   * nobody's. Chunk by chunk; whoever else holds a row is waited for.
   * @param deeds further columns that hold who did something
   */
  register(table: IssuableKind['table'], deeds: readonly string[] = []): void {
    const name = table.replace('_', ' ');
    for (const column of ['author_id', 'updated_by_id', ...deeds]) {
      this.erasure.register({
        name: `${column} of ${name}`,
        run: (userId, ghostId) => this.run(rewrite(table, column, '$3'), [userId, CHUNK, ghostId]),
      });
    }
    this.erasure.register({
      name: `assignments of ${name}`,
      run: (userId) => this.run(rewrite(table, 'assignee_id', 'NULL'), [userId, CHUNK]),
    });
  }

  /** Whether there may be more. */
  private async run(sql: string, parameters: readonly unknown[]): Promise<boolean> {
    return (await this.database.rows(sql, parameters)).length === CHUNK;
  }
}

const rewrite = (table: string, column: string, value: string): string => `
  UPDATE ${table} SET ${column} = ${value}
   WHERE id IN (SELECT id FROM ${table} WHERE ${column} = $1 LIMIT $2 FOR NO KEY UPDATE)
  RETURNING id`;
