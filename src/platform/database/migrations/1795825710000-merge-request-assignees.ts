import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Gives merge requests an ordered list of assignees, as issues have it (`keep_first_assignee`), and one of reviewers
 * (docs/decisions/0072-several-assignees.md).
 */
export class MergeRequestAssignees1795825710000 implements MigrationInterface {
  readonly name = 'MergeRequestAssignees1795825710000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE merge_requests
        ADD assignee_ids int[] NOT NULL DEFAULT '{}',
        ADD reviewer_ids int[] NOT NULL DEFAULT '{}';
      CREATE TRIGGER keep_first_assignee_inserted BEFORE INSERT ON merge_requests
        FOR EACH ROW WHEN (NEW.assignee_id IS NOT NULL OR NEW.assignee_ids <> '{}')
        EXECUTE FUNCTION keep_first_assignee();
      CREATE TRIGGER keep_first_assignee_updated BEFORE UPDATE ON merge_requests
        FOR EACH ROW WHEN (NEW.assignee_id IS DISTINCT FROM OLD.assignee_id
                           OR NEW.assignee_ids <> OLD.assignee_ids)
        EXECUTE FUNCTION keep_first_assignee()`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP TRIGGER keep_first_assignee_inserted ON merge_requests;
      DROP TRIGGER keep_first_assignee_updated ON merge_requests;
      ALTER TABLE merge_requests DROP assignee_ids, DROP reviewer_ids`);
  }
}
