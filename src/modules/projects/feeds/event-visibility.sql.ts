import {
  Level,
  projectLevels,
  type Account,
  Visibility,
  visibleLevels,
} from '../../access/index.js';

// The conditions of docs/reference/events.md#who-sees-an-event on the alias `event`. They are part of the
// statements, so that hidden events are neither in a page nor in its totals.

/** Actions that show code: hidden from readers who may not read it. */
const ON_CODE = `('pushed new', 'pushed to', 'deleted')`;

/** The target type of comments on commits. */
export const COMMIT_NOTE = 'CommitNote';

/** Selects the events for a reader who sees the project but may not read its code. */
export const NOT_ON_CODE = `event.action NOT IN ${ON_CODE}
  AND event.target_type IS DISTINCT FROM '${COMMIT_NOTE}'`;

/** For administrators, who see all projects. */
const ALL_LEVELS = Object.values(Visibility);

/** Returns the visibility levels of the projects that a reader sees without being a member. */
export function levelsShownTo(reader: Account): readonly number[] {
  return reader.admin ? ALL_LEVELS : visibleLevels(reader);
}

/**
 * A `WITH` clause with the table `seen`: the projects with events of a user that a reader sees, whether the reader
 * may read their code, and the columns of `EventVisibility.across`. It starts from the author's projects, which
 * are few. $1: ID of the author; $2: ID of the reader; $3: the reader's visibility levels; $4: whether the reader
 * is an administrator.
 */
export const SEEN_PROJECTS = `
  WITH authored AS MATERIALIZED (
    SELECT DISTINCT event.project_id FROM events event WHERE event.author_id = $1
  ), member AS MATERIALIZED (
    SELECT levels.project_id, max(levels.access_level) AS level
      FROM (${projectLevels('$2')}) levels GROUP BY levels.project_id
  ), seen AS MATERIALIZED (
    SELECT p.id,
           p.visibility_level = ANY($3::int[]) OR member.level >= ${String(Level.REPORTER)} AS code,
           CASE WHEN $4 THEN ${String(Level.OWNER)} ELSE coalesce(member.level, 0) END AS level,
           p.issues_enabled, p.merge_requests_enabled
      FROM authored
      JOIN projects p ON p.id = authored.project_id AND p.deleted_at IS NULL
      JOIN namespaces n ON n.id = p.namespace_id AND n.deleted_at IS NULL
      LEFT JOIN member ON member.project_id = p.id
     WHERE p.visibility_level = ANY($3::int[]) OR member.project_id IS NOT NULL
  )`;
