import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Whether a merge request is squashed. By itself, so that no transaction locks the table of projects as well. */
export class SquashedMergeRequests1795825810000 implements MigrationInterface {
  readonly name = 'SquashedMergeRequests1795825810000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE merge_requests
        ADD squash boolean NOT NULL DEFAULT false,
        ADD squash_commit_message text,
        ADD squash_commit_sha varchar(40)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE merge_requests
        DROP squash, DROP squash_commit_message, DROP squash_commit_sha`);
  }
}
