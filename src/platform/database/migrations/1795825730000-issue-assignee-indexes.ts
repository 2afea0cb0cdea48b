import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Indexes the assignees of issues: all of them, and those of confidential issues, which their assignees read. The index of a
 * project's confidential issues has them as well. Without a list of pending entries, which each search would read.
 */
export class IssueAssigneeIndexes1795825730000 implements MigrationInterface {
  readonly name = 'IssueAssigneeIndexes1795825730000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE INDEX issues_assignees_idx ON issues USING gin (assignee_ids)
        WITH (fastupdate = off) WHERE assignee_ids <> '{}';
      CREATE INDEX issues_confidential_assignees_idx ON issues USING gin (assignee_ids)
        WITH (fastupdate = off)
        WHERE confidential AND deleted_at IS NULL AND assignee_ids <> '{}';
      CREATE INDEX issues_confidential_readers_idx ON issues (project_id, id)
        INCLUDE (author_id, assignee_ids) WHERE confidential`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP INDEX issues_confidential_readers_idx, issues_confidential_assignees_idx,
                 issues_assignees_idx`);
  }
}
