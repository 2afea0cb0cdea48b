import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Labels and milestones of groups (docs/decisions/0079-labels-and-milestones-of-groups.md). */
export class LabelsOfGroups1795826500000 implements MigrationInterface {
  readonly name = 'LabelsOfGroups1795826500000';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of [
      ...[owned('labels', 'name'), owned('milestones', 'title'), NUMBERS, LINKS, PRIORITIES],
      ...[SUBSCRIPTIONS, LOCK, keepApart('labels', 'name'), keepApart('milestones', 'title')],
    ]) {
      await runner.query(statement);
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DROP);
  }
}

/** A project or a group has it. The foreign key has an index for the deletion of groups. */
const owned = (table: string, name: string): string => `
  ALTER TABLE ${table} ALTER COLUMN project_id DROP NOT NULL,
    ADD COLUMN group_id int CONSTRAINT ${table}_group_fkey REFERENCES namespaces ON DELETE CASCADE,
    ADD CONSTRAINT ${table}_owner_check CHECK (num_nonnulls(project_id, group_id) = 1);
  CREATE UNIQUE INDEX ${table}_group_${name}_key ON ${table} (group_id, ${name})`;

const NUMBERS = `
  CREATE UNIQUE INDEX milestones_group_iid_key ON milestones (group_id, iid);
  CREATE INDEX milestones_group_idx ON milestones (group_id, id);
  CREATE TABLE group_internal_ids (
    group_id int NOT NULL CONSTRAINT group_internal_ids_group_fkey REFERENCES namespaces ON DELETE CASCADE,
    kind varchar(16) NOT NULL,
    last_iid int NOT NULL,
    CONSTRAINT group_internal_ids_pkey PRIMARY KEY (group_id, kind))`;

// The project of links to labels of groups, null for those to labels of projects. Older versions leave it null.
const LINKS = `
  ALTER TABLE label_links ADD COLUMN project_id int
    CONSTRAINT label_links_project_fkey REFERENCES projects ON DELETE CASCADE;
  CREATE INDEX label_links_project_idx
    ON label_links (project_id, label_id, target_type, state, created_at, target_id)
    INCLUDE (confidential, author_id) WHERE project_id IS NOT NULL`;

const PRIORITIES = `
  CREATE TABLE label_priorities (
    label_id int NOT NULL CONSTRAINT label_priorities_label_fkey REFERENCES labels ON DELETE CASCADE,
    project_id int NOT NULL CONSTRAINT label_priorities_project_fkey REFERENCES projects ON DELETE CASCADE,
    priority int NOT NULL,
    CONSTRAINT label_priorities_pkey PRIMARY KEY (label_id, project_id));
  CREATE INDEX label_priorities_project_idx ON label_priorities (project_id)`;

// Those to labels of groups belong to no project, whose deletion would remove them.
const SUBSCRIPTIONS = `
  ALTER TABLE subscriptions ALTER COLUMN project_id DROP NOT NULL;
  CREATE FUNCTION forget_label_subscriptions() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    DELETE FROM subscriptions WHERE target_type = 'Label' AND target_id = old.id;
    RETURN NULL;
  END $$;
  CREATE TRIGGER labels_removed_subscriptions AFTER DELETE ON labels
    FOR EACH ROW WHEN (old.group_id IS NOT NULL) EXECUTE FUNCTION forget_label_subscriptions()`;

/** First key of the advisory locks of names; the second one is the ID of a namespace (docs/lock-order.md). */
const NAMES_LOCK = '7265008';

// A project may be transferred before its namespace is locked.
const LOCK = `
  CREATE FUNCTION share_names_of_namespace(of_project int) RETURNS int LANGUAGE plpgsql AS $$
  DECLARE
    found_id int;
    locked_id int;
  BEGIN
    LOOP
      SELECT namespace_id INTO found_id FROM projects WHERE id = of_project;
      IF found_id IS NOT DISTINCT FROM locked_id THEN RETURN found_id; END IF;
      PERFORM pg_advisory_xact_lock_shared(${NAMES_LOCK}, found_id);
      locked_id := found_id;
    END LOOP;
  END $$`;

/** Selects the row with the new name. Without statistics, indexes on other columns of an owner look as cheap as that on names. */
const named = (table: string, name: string, owner: string): string => `
  SELECT id FROM ${table}
   WHERE ${owner} AND ${name} BETWEEN new.${name} AND new.${name} ORDER BY ${name} LIMIT 1`;

/**
 * Keeps the names of a group and those of its projects apart: by the same violation as an index for names, except that a new
 * label of a project is left out, as by ON CONFLICT DO NOTHING.
 */
const keepApart = (table: string, name: string): string => `
  CREATE FUNCTION keep_${table}_apart() RETURNS trigger LANGUAGE plpgsql AS $$
  DECLARE
    namespace int;
    is_taken boolean;
  BEGIN
    IF new.group_id IS NULL THEN
      namespace := share_names_of_namespace(new.project_id);
      SELECT EXISTS (SELECT FROM (${named(table, name, 'group_id = namespace')}) inherited) INTO is_taken;
      ${table === 'labels' ? `IF is_taken AND TG_OP = 'INSERT' THEN RETURN NULL; END IF;` : ''}
    ELSE
      PERFORM pg_advisory_xact_lock(${NAMES_LOCK}, new.group_id);
      SELECT EXISTS (
        SELECT FROM (SELECT id FROM projects WHERE namespace_id = new.group_id AND deleted_at IS NULL OFFSET 0) p
         CROSS JOIN LATERAL (${named(table, name, 'project_id = p.id')}) owned
         WHERE owned.id <> new.id)
        INTO is_taken;
    END IF;
    IF is_taken THEN
      RAISE unique_violation USING MESSAGE = 'the ${name} is taken in the group', CONSTRAINT = '${table}_${name}_key';
    END IF;
    RETURN new;
  END $$;
  CREATE TRIGGER ${table}_kept_apart BEFORE INSERT OR UPDATE OF ${name}, project_id, group_id ON ${table}
    FOR EACH ROW EXECUTE FUNCTION keep_${table}_apart()`;

const DROP = `
  DELETE FROM labels WHERE group_id IS NOT NULL;
  DELETE FROM milestones WHERE group_id IS NOT NULL;
  DROP TRIGGER milestones_kept_apart ON milestones;
  DROP TRIGGER labels_kept_apart ON labels;
  DROP TRIGGER labels_removed_subscriptions ON labels;
  DROP FUNCTION keep_milestones_apart, keep_labels_apart, share_names_of_namespace, forget_label_subscriptions;
  ALTER TABLE subscriptions ALTER COLUMN project_id SET NOT NULL;
  DROP TABLE label_priorities, group_internal_ids;
  ALTER TABLE label_links DROP COLUMN project_id;
  ALTER TABLE labels DROP COLUMN group_id, ALTER COLUMN project_id SET NOT NULL;
  ALTER TABLE milestones DROP COLUMN group_id, ALTER COLUMN project_id SET NOT NULL`;
