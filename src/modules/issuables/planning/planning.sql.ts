import {
  type Database,
  inOrderOf,
  opaqueArray,
  rowById,
  rowsWhere,
} from '../../../platform/database/index.js';
import {
  Level,
  levelOnProject,
  projectsIn,
  type Subject,
  visibleLevels,
} from '../../authorization/index.js';
import type { Owned, PlanningScope } from './planning-owner.js';

/**
 * Selects the rows of a table that belong to a scope, in parts that each have an index for the order of names.
 * @param parameter adds a value to the parameters of the statement
 * @param end of each part, by which it is ordered and cut
 */
export const rowsIn = (
  table: 'labels' | 'milestones',
  { projectId, groupId }: PlanningScope,
  condition: string,
  parameter: (value: unknown) => string,
  end = '',
): string =>
  [
    ...(projectId === undefined ? [] : [`project_id = ${parameter(projectId)}`]),
    ...(groupId === undefined ? [] : [`group_id = ${parameter(groupId)}`]),
  ]
    .map((owned) => `(SELECT * FROM ${table} WHERE ${owned} AND ${condition} ${end})`)
    .join(' UNION ALL ');

/**
 * Selects the projects of a group that a reader sees: their columns, the reader's `level`, and whether they are `visible` to all.
 * @param parameter adds a value to the parameters of the statement
 */
export function readableProjects(
  groupId: number,
  reader: Subject,
  parameter: (value: unknown) => string,
): string {
  const readerId = `${parameter(reader?.id ?? null)}::int`;
  const levels = opaqueArray(parameter(visibleLevels(reader)), 'int');
  const level = reader?.admin === true ? String(Level.OWNER) : 'own.level';
  return `
    SELECT seen.* FROM (
      SELECT p.*, ${level} AS level, p.visibility_level = ANY(${levels}) AS visible
        FROM ${projectsIn(`${parameter(groupId)}::int`)} p
        JOIN ${rowById('namespaces', 'p.namespace_id')} n ON n.deleted_at IS NULL
       CROSS JOIN LATERAL (SELECT ${levelOnProject('p', 'n', readerId)} AS level OFFSET 0) own) seen
     WHERE seen.visible OR seen.level > ${String(Level.VISITOR)}`;
}

/**
 * Locks a label or milestone ($1) and all that have its name in the projects of a group ($2). All are locked by the order of their
 * IDs.
 */
export const lockEqual = (table: 'labels' | 'milestones', name: 'name' | 'title'): string => `
  SELECT id FROM ${table}
   WHERE id = ANY(ARRAY(
     SELECT equal.id
       FROM ${rowById(table, '$1::int')} promoted
      CROSS JOIN ${projectsIn('$2::int')} p
      CROSS JOIN ${rowsWhere(table, `project_id = p.id AND ${name} = promoted.${name}`)} equal))
   ${inOrderOf('id')} FOR UPDATE`;

/** First key of the advisory locks of names; the second one is the ID of a namespace (docs/lock-order.md). */
const NAMES_LOCK = 7_265_008;

/**
 * Finds the namespace of a project and holds the names of its labels and milestones: until the unit of work ends the group gets no
 * names, and the project is not transferred.
 * @returns null if there is no such project
 */
export async function shareNames(database: Database, projectId: number): Promise<number | null> {
  const [row] = await database.rows<{ groupId: number | null }>(
    'SELECT share_names_of_namespace($1) AS "groupId"',
    [projectId],
  );
  return row?.groupId ?? null;
}

/** Locks the names of labels and milestones in namespaces and their projects until the unit of work ends. */
export async function lockNames(database: Database, groupIds: readonly number[]): Promise<void> {
  await database.rows(
    `SELECT pg_advisory_xact_lock($1, id)
       FROM (SELECT id FROM unnest($2::int[]) AS id ORDER BY id) AS ordered`,
    [NAMES_LOCK, groupIds],
  );
}

/** Locks the names of the owner of a label or milestone, before its row: the trigger on names comes after that. */
export async function lockNamesOf(
  database: Database,
  { projectId, groupId }: Owned,
): Promise<void> {
  if (projectId !== null) await shareNames(database, projectId);
  else if (groupId !== null) await lockNames(database, [groupId]);
}
