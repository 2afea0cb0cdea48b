import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Indexes the approvals of merge requests, as their assignees and reviewers are indexed. */
export class ApprovalIndex1795826222000 implements MigrationInterface {
  readonly name = 'ApprovalIndex1795826222000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE INDEX merge_requests_approvals_idx ON merge_requests USING gin (approved_by_ids)
        WITH (fastupdate = off) WHERE approved_by_ids <> '{}'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX merge_requests_approvals_idx');
  }
}
