import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Whose wish it is that the source branch of a merge request is removed. */
export class SourceBranchRemoval1795737607001 implements MigrationInterface {
  readonly name = 'SourceBranchRemoval1795737607001';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of [COLUMN, AUTHORS, INDEX]) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE merge_requests DROP COLUMN force_remove_by_id');
  }
}

const COLUMN = `
  ALTER TABLE merge_requests ADD COLUMN force_remove_by_id int
    CONSTRAINT merge_requests_force_remove_by_fkey REFERENCES users (id)`;

// Only authors are known to have wished it, where nobody else has changed the request since.
const AUTHORS = `
  UPDATE merge_requests SET force_remove_by_id = author_id
   WHERE force_remove_source_branch AND coalesce(updated_by_id, author_id) = author_id`;

const INDEX = `
  CREATE INDEX merge_requests_force_remove_by_idx ON merge_requests (force_remove_by_id)
    WHERE force_remove_by_id IS NOT NULL`;
