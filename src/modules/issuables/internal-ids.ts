import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/index.js';
import type { NumberedKind } from './internal-id.entity.js';

/**
 * Gives numbers away, as a statement or part of one that answers them as `iid`.
 * @param source a query of a project's ID and a kind
 */
export const nextNumber = (source: string): string => `
  INSERT INTO internal_ids (project_id, kind, last_iid)
  SELECT numbered.*, 1 FROM (${source}) AS numbered
  ON CONFLICT (project_id, kind) DO UPDATE SET last_iid = internal_ids.last_iid + 1
  RETURNING last_iid AS iid`;

const NEXT = nextNumber('SELECT $1::int, $2::varchar');

/** Numbers within a project: without gaps, never the same one twice (docs/reference/issues.md#numbers). */
@Injectable()
export class InternalIds {
  constructor(private readonly database: Database) {}

  /**
   * The next number of a kind. Whoever wants one of the same kind in the same project waits until the
   * caller's unit of work is over: ask for it as late as possible.
   */
  async next(projectId: number, kind: NumberedKind): Promise<number> {
    const [row] = await this.database.rows<{ iid: number }>(NEXT, [projectId, kind]);
    if (row === undefined) throw new Error('PostgreSQL returned no number');
    return row.iid;
  }
}
