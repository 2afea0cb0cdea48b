import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Stores the ref that a push moved, with its commits, instead of the push data of the API's version 3 in `events.data`. A
 * trigger fills the column that a process does not know: `pushed_ref` of events that the last release records, `data`, which
 * it reads, of the others. The next migration fills `pushed_ref` of the events that are there. A later release drops `data`
 * with the trigger.
 */
export class PushedRefs1795825300000 implements MigrationInterface {
  readonly name = 'PushedRefs1795825300000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE events ADD pushed_ref jsonb');
    await runner.query(PUSHED_REF_OF_DATA);
    await runner.query(DATA_OF_PUSHED_REF);
    await runner.query(TRIGGER);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TRIGGER fill_pushed_ref ON events');
    await runner.query('DROP FUNCTION fill_pushed_ref_of_event');
    await runner.query('DROP FUNCTION data_of_pushed_ref');
    await runner.query('DROP FUNCTION pushed_ref_of_data');
    await runner.query('ALTER TABLE events DROP pushed_ref');
  }
}

const PUSHED_REF_OF_DATA = `
  CREATE FUNCTION pushed_ref_of_data(data jsonb) RETURNS jsonb LANGUAGE sql IMMUTABLE AS $$
    SELECT jsonb_build_object(
      'ref', data->'ref', 'oldOid', data->'before', 'newOid', data->'after', 'message', data->'message',
      'commits', (
        SELECT coalesce(jsonb_agg(jsonb_build_object(
                 'oid', entry->'id', 'message', entry->'message', 'committedAt', entry->'timestamp',
                 'author', entry->'author') ORDER BY position), '[]')
          FROM jsonb_array_elements(data->'commits') WITH ORDINALITY AS commits (entry, position)),
      'commitCount', coalesce(data->'total_commits_count', '0'))
  $$`;

/** What the last release reads of `data`. The address of the service is not known here, so those of commits lack it. */
const DATA_OF_PUSHED_REF = `
  CREATE FUNCTION data_of_pushed_ref(pushed_ref jsonb, project int) RETURNS jsonb LANGUAGE sql STABLE AS $$
    SELECT jsonb_build_object(
      'object_kind', CASE WHEN starts_with(pushed_ref->>'ref', 'refs/tags/') THEN 'tag_push' ELSE 'push' END,
      'ref', pushed_ref->'ref', 'before', pushed_ref->'oldOid', 'after', pushed_ref->'newOid',
      'message', pushed_ref->'message', 'project_id', project,
      'commits', (
        SELECT coalesce(jsonb_agg(jsonb_build_object(
                 'id', entry->'oid', 'message', entry->'message', 'timestamp', entry->'committedAt',
                 'url', '/' || n.path || '/' || p.path || '/commit/' || (entry->>'oid'),
                 'author', entry->'author') ORDER BY position), '[]')
          FROM jsonb_array_elements(pushed_ref->'commits') WITH ORDINALITY AS commits (entry, position)
          JOIN projects p ON p.id = project JOIN namespaces n ON n.id = p.namespace_id),
      'total_commits_count', pushed_ref->'commitCount')
  $$`;

/** The names of the pusher and the project in `data` are read by neither version, and would outlast deleted accounts. */
const TRIGGER = `
  CREATE FUNCTION fill_pushed_ref_of_event() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF NEW.pushed_ref IS NULL THEN
      NEW.pushed_ref := pushed_ref_of_data(NEW.data);
      NEW.data := NEW.data - ARRAY['user_id', 'user_name', 'user_email', 'user_avatar', 'project', 'repository'];
    ELSIF NEW.data IS NULL THEN
      NEW.data := data_of_pushed_ref(NEW.pushed_ref, NEW.project_id);
    END IF;
    RETURN NEW;
  END $$;
  CREATE TRIGGER fill_pushed_ref BEFORE INSERT OR UPDATE ON events
    FOR EACH ROW WHEN (NEW.data IS NOT NULL OR NEW.pushed_ref IS NOT NULL)
    EXECUTE FUNCTION fill_pushed_ref_of_event()`;
