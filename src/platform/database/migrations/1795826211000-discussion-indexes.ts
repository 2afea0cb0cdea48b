import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Indexes of threads: what begins them, their notes, the unresolved ones, and those with a position that is followed. */
export class DiscussionIndexes1795826211000 implements MigrationInterface {
  readonly name = 'DiscussionIndexes1795826211000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE INDEX notes_discussion_idx ON notes (discussion_id, id) WHERE discussion_id IS NOT NULL;
      CREATE INDEX notes_heads_idx ON notes (noteable_type, noteable_id, id) WHERE NOT is_reply;
      CREATE INDEX notes_unresolved_idx ON notes (noteable_type, noteable_id)
        WHERE discussion_id IS NOT NULL AND resolved_at IS NULL AND NOT system;
      CREATE INDEX notes_resolved_by_idx ON notes (resolved_by_id) WHERE resolved_by_id IS NOT NULL;
      CREATE INDEX notes_positions_idx ON notes (noteable_id, discussion_id)
        WHERE position IS NOT NULL AND NOT is_reply AND NOT outdated`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP INDEX notes_positions_idx, notes_resolved_by_idx, notes_unresolved_idx, notes_heads_idx,
                 notes_discussion_idx`);
  }
}
