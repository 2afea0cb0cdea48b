import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Gives issues an ordered list of assignees (docs/decisions/0072-several-assignees.md). Triggers keep `assignee_id`, which the
 * last release reads and writes, equal to the first of them: what a process writes into one column is in the other. The list of
 * issues that are there is filled by a later migration. A later release drops `assignee_id` with the triggers. Merge requests
 * follow in a migration of their own, so that no transaction locks both tables.
 */
export class IssueAssignees1795825700000 implements MigrationInterface {
  readonly name = 'IssueAssignees1795825700000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(KEEP_FIRST_ASSIGNEE);
    await runner.query(`
      ALTER TABLE issues ADD assignee_ids int[] NOT NULL DEFAULT '{}';
      CREATE TRIGGER keep_first_assignee_inserted BEFORE INSERT ON issues
        FOR EACH ROW WHEN (NEW.assignee_id IS NOT NULL OR NEW.assignee_ids <> '{}')
        EXECUTE FUNCTION keep_first_assignee();
      CREATE TRIGGER keep_first_assignee_updated BEFORE UPDATE ON issues
        FOR EACH ROW WHEN (NEW.assignee_id IS DISTINCT FROM OLD.assignee_id
                           OR NEW.assignee_ids <> OLD.assignee_ids)
        EXECUTE FUNCTION keep_first_assignee()`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP TRIGGER keep_first_assignee_inserted ON issues;
      DROP TRIGGER keep_first_assignee_updated ON issues;
      ALTER TABLE issues DROP assignee_ids;
      DROP FUNCTION keep_first_assignee`);
  }
}

// The triggers call it only where the columns may differ. A row that is inserted with a list has its first element; an update is of the
// column that it changes. A process of the last release that erases an account clears it from `assignee_id` alone: the others stay, and
// an erased one that is left in a list is not referred to.
const KEEP_FIRST_ASSIGNEE = `
  CREATE FUNCTION keep_first_assignee() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF TG_OP = 'UPDATE' AND NEW.assignee_ids = OLD.assignee_ids AND NEW.assignee_id IS NULL
       AND NOT EXISTS (SELECT 1 FROM users WHERE id = OLD.assignee_id AND deleted_at IS NULL) THEN
      NEW.assignee_ids := array_remove(OLD.assignee_ids, OLD.assignee_id);
      NEW.assignee_id := (SELECT id FROM users WHERE id = NEW.assignee_ids[1]);
    ELSIF TG_OP = 'INSERT' AND NEW.assignee_ids = '{}'
       OR TG_OP = 'UPDATE' AND NEW.assignee_ids = OLD.assignee_ids THEN
      NEW.assignee_ids := array_remove(ARRAY[NEW.assignee_id], NULL);
    ELSE
      NEW.assignee_id := (SELECT id FROM users WHERE id = NEW.assignee_ids[1]);
    END IF;
    RETURN NEW;
  END $$`;
