import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/index.js';

/** Rows removed by one statement: what hangs on them goes too, and a statement has a time limit. */
const CHUNK = 2_000;

/** A foreign key that removes rows of `table` with the row of `parent` that `column` names. */
interface Cascade {
  table: string;
  column: string;
  parent: string;
  key: string;
}

/** Rows of a table, by a condition in which $1 is the project's ID. */
interface Remains {
  table: string;
  condition: string;
}

const LIVING_NO_MORE = 'id = $1 AND deleted_at IS NOT NULL';

const CASCADES = `
  SELECT child.conrelid::regclass::text AS "table", own.attname AS "column",
         child.confrelid::regclass::text AS parent, theirs.attname AS key
    FROM pg_constraint child
    JOIN pg_attribute own ON own.attrelid = child.conrelid AND own.attnum = child.conkey[1]
    JOIN pg_attribute theirs ON theirs.attrelid = child.confrelid
                            AND theirs.attnum = child.confkey[1]
   WHERE child.contype = 'f' AND child.confdeltype = 'c'
     AND child.connamespace = current_schema()::regnamespace
   ORDER BY child.conname`;

/**
 * Removes the rows that hang on a project, piece by piece: a project may have millions of them, which
 * no single statement could remove in time. Which tables hold some, the database knows itself.
 */
@Injectable()
export class ProjectRemains {
  constructor(private readonly database: Database) {}

  /**
   * Leaves the project's own row. Can be stopped and repeated at any moment.
   * @throws the signal's reason when it is aborted
   */
  async remove(projectId: number, signal: AbortSignal): Promise<void> {
    const cascades = await this.database.rows<Cascade>(CASCADES);
    const all = remainsBelow({ table: 'projects', condition: LIVING_NO_MORE }, cascades, []);
    for (const remains of all) await this.removeAll(remains, projectId, signal);
  }

  private async removeAll(
    { table, condition }: Remains,
    projectId: number,
    signal: AbortSignal,
  ): Promise<void> {
    const sql = `
      DELETE FROM ${table} WHERE ctid = ANY(ARRAY(
        SELECT ctid FROM ${table} WHERE ${condition} LIMIT ${String(CHUNK)}))
      RETURNING 1`;
    for (let removed = CHUNK; removed === CHUNK;) {
      signal.throwIfAborted();
      removed = (await this.database.rows(sql, [projectId])).length;
    }
  }
}

/** What hangs on some rows, that which hangs on others before these. */
function remainsBelow(
  { table: parent, condition }: Remains,
  cascades: readonly Cascade[],
  above: readonly string[],
): Remains[] {
  return cascades
    .filter((cascade) => cascade.parent === parent && !above.includes(cascade.table))
    .flatMap(({ table, column, key }) => {
      const remains = {
        table,
        condition: `${column} IN (SELECT ${key} FROM ${parent} WHERE ${condition})`,
      };
      return [...remainsBelow(remains, cascades, [...above, parent]), remains];
    });
}
