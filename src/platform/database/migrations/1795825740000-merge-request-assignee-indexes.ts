import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Indexes the assignees and reviewers of merge requests, as those of issues are indexed. */
export class MergeRequestAssigneeIndexes1795825740000 implements MigrationInterface {
  readonly name = 'MergeRequestAssigneeIndexes1795825740000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE INDEX merge_requests_assignees_idx ON merge_requests USING gin (assignee_ids)
        WITH (fastupdate = off) WHERE assignee_ids <> '{}';
      CREATE INDEX merge_requests_reviewers_idx ON merge_requests USING gin (reviewer_ids)
        WITH (fastupdate = off) WHERE reviewer_ids <> '{}'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX merge_requests_reviewers_idx, merge_requests_assignees_idx');
  }
}
