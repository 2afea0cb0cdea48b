import type { MigrationInterface, QueryRunner } from 'typeorm';

const TABLES = [
  ['issues', 'description'],
  ['notes', 'body'],
] as const;

/**
 * Settles, once and for all readers, the references that a move had expanded, which the last release hides from some of
 * them (docs/decisions/0070-references-of-moved-issues.md): triggers do so for the rows that its processes still write,
 * the next migration for those that are there. A later release drops them with the columns.
 */
export class SettledReferences1795825200000 implements MigrationInterface {
  readonly name = 'SettledReferences1795825200000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(SETTLE);
    for (const [table, column] of TABLES) await runner.query(TRIGGER(table, column));
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const [table] of TABLES) {
      await runner.query(`DROP TRIGGER settle_moved_references ON ${table}`);
      await runner.query(`DROP FUNCTION settle_references_of_${table}`);
    }
    await runner.query('DROP FUNCTION settle_references');
  }
}

/** Whether texts of a project may name the source of a move: its readers were promised that private names are hidden. */
const IS_NAMED = `
  EXISTS (SELECT FROM projects source JOIN projects target ON target.id = home
           WHERE source.id = (moved->>'projectId')::int AND source.deleted_at IS NULL
             AND source.visibility_level > 0 AND source.visibility_level >= target.visibility_level)`;

/**
 * Escapes what refers to projects that may not be named. A prefix is `crew/tour` before a sign, `crew/` before a name and
 * a sign, or `crew/tour@` before a hash. Each occurrence counts, also one that an author wrote.
 */
const SETTLE = `
  CREATE FUNCTION settle_references(body text, references_of_moves jsonb, home int)
  RETURNS text LANGUAGE plpgsql STABLE AS $$
  DECLARE
    prefix text;
  BEGIN
    FOR prefix IN
      SELECT moved->>'prefix' FROM jsonb_array_elements(references_of_moves) AS moved
       WHERE NOT ${IS_NAMED} ORDER BY length(moved->>'prefix') DESC
    LOOP
      body := CASE right(prefix, 1)
        WHEN '@' THEN replace(body, prefix, '')
        WHEN '/' THEN regexp_replace(
          body, replace(prefix, '.', '\\.') || '([A-Za-z0-9_.-]+)([#!])', '\\1\\\\\\2', 'g')
        ELSE regexp_replace(body, replace(prefix, '.', '\\.') || '([#!~%])', '\\\\\\1', 'g')
      END;
    END LOOP;
    RETURN body;
  END $$`;

const TRIGGER = (table: string, column: string): string => `
  CREATE FUNCTION settle_references_of_${table}() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    NEW.${column} := settle_references(NEW.${column}, NEW.moved_references, NEW.project_id);
    NEW.moved_references := NULL;
    RETURN NEW;
  END $$;
  CREATE TRIGGER settle_moved_references BEFORE INSERT OR UPDATE ON ${table}
    FOR EACH ROW WHEN (NEW.moved_references IS NOT NULL)
    EXECUTE FUNCTION settle_references_of_${table}()`;
