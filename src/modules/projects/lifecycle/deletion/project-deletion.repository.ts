import { Injectable } from '@nestjs/common';
import {
  Database,
  notDeleted,
  rowById,
  holdUnmodified,
} from '../../../../platform/database/index.js';
import { projectsIn } from '../../../authorization/index.js';
import type { StoredProject } from '../../../storage/index.js';

/** Dependent rows that one statement deletes: they have dependent rows themselves, and statements a time limit. */
const CHUNK = 2_000;

/** A foreign key with `ON DELETE CASCADE`. */
interface Cascade {
  table: string;
  column: string;
  parent: string;
  key: string;
}

/** Rows of a table, by a condition in which $1 is the project's ID. */
interface DependentRows {
  table: string;
  condition: string;
}

const HIDE = 'UPDATE projects SET deleted_at = now()';

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

/** The soft deletion of projects, and the removal of their rows by a job. */
@Injectable()
export class ProjectDeletionRepository {
  constructor(private readonly database: Database) {}

  /** Hides a project. @returns null when it is hidden already */
  async hide(id: number): Promise<StoredProject | null> {
    const row = { table: 'projects', column: 'updated_at', where: 'id = $1' } as const;
    await holdUnmodified(this.database, row, [id]);
    const [project] = await this.database.rows<StoredProject>(
      `${HIDE} WHERE id = $1 AND ${notDeleted()} RETURNING id, storage`,
      [id],
    );
    return project ?? null;
  }

  /** Hides all projects of a namespace. */
  hideAllIn(namespaceId: number): Promise<StoredProject[]> {
    return this.database.rows(
      `${HIDE} FROM ${projectsIn('$1')} own
        WHERE projects.id = own.id AND ${notDeleted('projects')}
       RETURNING projects.id, projects.storage`,
      [namespaceId],
    );
  }

  /**
   * Ends the fork relations of hidden projects in both directions, and updates the counts of their sources
   * (docs/reference/projects.md#delete-projectsid). Forks that are still being copied keep their hidden relation,
   * since the source's repository has to remain until they are filled.
   */
  async detachForks(ids: readonly number[]): Promise<void> {
    await this.database.rows(
      `WITH detached AS (
         DELETE FROM fork_links
          WHERE forked_to_project_id = ANY($1::int[])
             OR (forked_from_project_id = ANY($1::int[])
                 AND NOT EXISTS (
                   SELECT 1 FROM ${rowById('projects', 'fork_links.forked_to_project_id')} p
                    WHERE p.repository_state = 'copying' AND p.deleted_at IS NULL))
         RETURNING forked_from_project_id AS id),
       lost AS (SELECT id, count(*)::int AS forks FROM detached GROUP BY id)
       UPDATE projects SET forks_count = forks_count - lost.forks FROM lost
        WHERE projects.id = lost.id`,
      [ids],
    );
  }

  /**
   * Deletes the dependent rows of a hidden project in chunks: there may be millions, too many for one cascading
   * statement. Finds the tables by their foreign keys. Can be interrupted and repeated.
   * @throws the signal's reason when it is aborted
   */
  async deleteDependentRows(projectId: number, signal: AbortSignal): Promise<void> {
    const cascades = await this.database.rows<Cascade>(CASCADES);
    const project = { table: 'projects', condition: 'id = $1 AND deleted_at IS NOT NULL' };
    for (const { table, condition } of dependentRowsOf(project, cascades, [])) {
      const sql = `
        DELETE FROM ${table} WHERE ctid = ANY(ARRAY(
          SELECT ctid FROM ${table} WHERE ${condition} LIMIT ${String(CHUNK)}))
        RETURNING 1`;
      for (let deleted = CHUNK; deleted === CHUNK;) {
        signal.throwIfAborted();
        deleted = (await this.database.rows(sql, [projectId])).length;
      }
    }
  }

  /** Deletes the row of a hidden project with the dependent rows that are left. */
  async deleteRow(id: number): Promise<void> {
    await this.database.rows('DELETE FROM projects WHERE id = $1 AND deleted_at IS NOT NULL', [id]);
  }
}

/** Lists the rows that depend on some rows, each after the rows that depend on it. */
function dependentRowsOf(
  { table: parent, condition }: DependentRows,
  cascades: readonly Cascade[],
  above: readonly string[],
): DependentRows[] {
  return cascades
    .filter((cascade) => cascade.parent === parent && !above.includes(cascade.table))
    .flatMap(({ table, column, key }) => {
      const rows = {
        table,
        condition: `${column} IN (SELECT ${key} FROM ${parent} WHERE ${condition})`,
      };
      return [...dependentRowsOf(rows, cascades, [...above, parent]), rows];
    });
}
