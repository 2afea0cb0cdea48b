import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Threads of notes, their resolution, and positions in differences. When the note that begins a thread is deleted, a trigger has
 * the oldest reply begin it, so that lists of threads need no search: versions that know no threads delete notes as well.
 */
export class Discussions1795826210000 implements MigrationInterface {
  readonly name = 'Discussions1795826210000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE notes
        ADD type varchar(16),
        ADD discussion_id int,
        ADD is_reply boolean NOT NULL DEFAULT false,
        ADD resolved_at timestamptz(3),
        ADD resolved_by_id int CONSTRAINT notes_resolved_by_fkey REFERENCES users,
        ADD position jsonb,
        ADD original_position jsonb,
        ADD outdated boolean NOT NULL DEFAULT false`);
    await runner.query(`
      CREATE FUNCTION promote_reply() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        UPDATE notes SET is_reply = false
         WHERE id = (SELECT min(id) FROM notes WHERE discussion_id = old.discussion_id);
        RETURN NULL;
      END $$;
      CREATE TRIGGER notes_promote_reply AFTER DELETE ON notes FOR EACH ROW
        WHEN (old.discussion_id IS NOT NULL AND NOT old.is_reply)
        EXECUTE FUNCTION promote_reply()`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP TRIGGER notes_promote_reply ON notes;
      DROP FUNCTION promote_reply();
      ALTER TABLE notes DROP type, DROP discussion_id, DROP is_reply, DROP resolved_at,
        DROP resolved_by_id, DROP position, DROP original_position, DROP outdated`);
  }
}
