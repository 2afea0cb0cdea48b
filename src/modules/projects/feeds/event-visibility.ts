import {
  Level,
  projectLevels,
  type Account,
  Visibility,
  visibleLevels,
} from '../../access/index.js';

/**
 * Which events a reader gets (docs/reference/events.md#who-sees-an-event), as pieces of SQL on the
 * alias `event`, so that hidden ones are neither in a page nor in its totals.
 */

/** Actions that tell of code: whoever may not read it does not learn of them. */
const ON_CODE = `('pushed new', 'pushed to', 'deleted')`;

/** What comments on commits are recorded with as the type of their target. */
export const COMMIT_NOTE = 'CommitNote';

/** The events that are left to a reader who sees the project but may not read its code. */
export const NOT_ON_CODE = `event.action NOT IN ${ON_CODE}
  AND event.target_type IS DISTINCT FROM '${COMMIT_NOTE}'`;

/** Every level: administrators see all. */
const ALL_LEVELS = Object.values(Visibility);

/** The visibility levels that show a project to a reader who is no member. */
export function levelsShownTo(reader: Account): readonly number[] {
  return reader.admin ? ALL_LEVELS : visibleLevels(reader);
}

/**
 * Begins a statement over what $1 did, as $2 sees it whom the levels $3 show projects, and who is an
 * administrator if $4: a table `seen` of projects with whether their code may be read and what else
 * decides on events. It goes from the author's projects, which are few, and asks each once.
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
