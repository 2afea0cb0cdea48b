import { Injectable } from '@nestjs/common';
import { Database, notDeleted } from '../../../platform/database/index.js';
import { ISSUABLE_TABLES, type Issuable } from '../model/issuable.js';

/** The time of an issue or merge request, in seconds. */
export interface TimeStats {
  readonly timeEstimate: number;
  readonly totalTimeSpent: number;
}

type Target = Pick<Issuable, 'type' | 'id'>;

/** Reads and writes the columns of time, which both kinds have. */
@Injectable()
export class TimesRepository {
  constructor(private readonly database: Database) {}

  /** Null if it is deleted. */
  async find({ type, id }: Target): Promise<TimeStats | null> {
    const [row] = await this.database.rows<TimeStats>(selection(type), [id]);
    return row ?? null;
  }

  /** Finds the same and locks the row to the end of the unit of work. */
  async lock({ type, id }: Target): Promise<TimeStats | null> {
    const sql = `${selection(type)} FOR NO KEY UPDATE`;
    const [row] = await this.database.rows<TimeStats>(sql, [id]);
    return row ?? null;
  }

  /** Writes a row that the unit of work has locked. */
  async write({ type, id }: Target, { timeEstimate, totalTimeSpent }: TimeStats): Promise<void> {
    await this.database.rows(
      `UPDATE ${ISSUABLE_TABLES[type]}
          SET time_estimate = $2, total_time_spent = $3, updated_at = now() WHERE id = $1`,
      [id, timeEstimate, totalTimeSpent],
    );
  }
}

const selection = (type: Issuable['type']): string => `
  SELECT time_estimate AS "timeEstimate", total_time_spent AS "totalTimeSpent"
    FROM ${ISSUABLE_TABLES[type]} WHERE id = $1 AND ${notDeleted()}`;
