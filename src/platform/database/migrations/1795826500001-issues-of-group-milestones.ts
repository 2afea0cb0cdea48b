import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Finds the issues of one project that have the milestone of its group. */
export class IssuesOfGroupMilestones1795826500001 implements MigrationInterface {
  readonly name = 'IssuesOfGroupMilestones1795826500001';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE INDEX issues_project_milestone_idx ON issues (project_id, milestone_id, state, created_at, id)
        INCLUDE (confidential) WHERE milestone_id IS NOT NULL AND deleted_at IS NULL`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX issues_project_milestone_idx');
  }
}
