import { containing, PLANNED_EACH_TIME } from '../../../platform/database/index.js';
import { countOfRows } from '../../../platform/pages/index.js';
import type { Bind, ProjectScope } from './project-scopes.sql.js';

/** The columns that lists of projects can be ordered by. */
export const PROJECT_ORDERS = [
  'id',
  'name',
  'path',
  'created_at',
  'updated_at',
  'last_activity_at',
] as const;

export type ProjectOrder = (typeof PROJECT_ORDERS)[number];

/** The filters that all lists of projects share (docs/reference/projects.md#lists). */
export interface ProjectFilters {
  /** True: archived projects only; false: none of them; undefined: both. */
  archived?: boolean | undefined;
  /** 0 private, 10 internal, 20 public. */
  visibilityLevel?: number | undefined;
  /** Part of name, path, description or the namespace's name, in any case. */
  search?: string | undefined;
  /** Part of the name, in any case. */
  name?: string | undefined;
  /** Default: the time of creation. */
  orderBy?: ProjectOrder | undefined;
  /** Default: descending. */
  sort?: 'asc' | 'desc' | undefined;
}

/** The rows of a list that are selected. */
interface Window {
  offset: number;
  limit: number;
}

export interface Statement {
  sql: string;
  values: unknown[];
}

/** The statement of an unfiltered list stays prepared for the pages that end within this many rows. */
const PREPARED_ROWS = 101;

/**
 * Whether the best plan of an unfiltered page depends on no value and there are few texts of such statements, so that
 * `countedPage` may stay prepared.
 */
export function isPrepared(
  { archived, visibilityLevel, search, name }: ProjectFilters,
  { offset, limit }: Window,
): boolean {
  const isFiltered = [visibilityLevel, search, name].some((value) => value !== undefined);
  return archived === false && !isFiltered && offset + limit <= PREPARED_ROWS;
}

/** Selects one row: `count`, and the IDs of a page as `ids`, null when the list is empty. For pages of `isPrepared`. */
export function countedPage(
  scope: ProjectScope,
  filters: ProjectFilters,
  window: Window,
): Statement {
  const { bind, values } = parameters();
  const counted = countOfRows(rowsToCount(scope, filters, bind));
  // The planner knows a number in the text, and takes a parameter for a tenth of the rows.
  const ids = selectIds(scope, filters, window, PREPARED_ROWS, bind);
  const sql = `
    SELECT c.count, CASE WHEN c.count > 0 THEN ARRAY(${ids}) END AS ids FROM (${counted}) c`;
  return { sql, values };
}

/** Selects one row for each project that is counted; planned for its values. */
export function projectsToCount(scope: ProjectScope, filters: ProjectFilters): Statement {
  const { bind, values } = parameters();
  return { sql: plannedEachTime(rowsToCount(scope, filters, bind)), values };
}

/** Selects the IDs of a page, one per row; planned for its values. */
export function pageOfIds(scope: ProjectScope, filters: ProjectFilters, window: Window): Statement {
  const { bind, values } = parameters();
  const sql = selectIds(scope, filters, window, window.offset + window.limit, bind);
  return { sql: plannedEachTime(sql), values };
}

const plannedEachTime = (sql: string): string => `/* ${PLANNED_EACH_TIME} */ ${sql}`;

function rowsToCount(scope: ProjectScope, filters: ProjectFilters, bind: Bind): string {
  return conditions(scope, filters, bind, lookedUp)
    .map((condition) => `SELECT 1 FROM projects p WHERE ${condition}`)
    .join(' UNION ALL ');
}

/** @param rowsOfParts how many rows each part yields, at least those up to the end of the page */
function selectIds(
  scope: ProjectScope,
  filters: ProjectFilters,
  { offset, limit }: Window,
  rowsOfParts: number,
  bind: Bind,
): string {
  const { orderBy = 'created_at', sort = 'desc' } = filters;
  const direction = sort === 'asc' ? 'ASC' : 'DESC';
  // The ID breaks ties, so that pages neither overlap nor miss a project.
  const order = (table: string) => `${table}.${orderBy} ${direction}, ${table}.id ${direction}`;
  const columns = [...new Set(['id', orderBy])].map((column) => `p.${column}`).join(', ');
  const candidates = conditions(scope, filters, bind, estimated).map(
    (condition) =>
      `(SELECT ${columns} FROM projects p WHERE ${condition}
         ORDER BY ${order('p')} LIMIT ${String(rowsOfParts)})`,
  );
  return `
    SELECT c.id FROM (${candidates.join(' UNION ALL ')}) c
     ORDER BY ${order('c')} OFFSET ${bind(offset)} LIMIT ${bind(limit)}`;
}

/**
 * The condition on matching namespaces in an ordered list. PostgreSQL has to estimate their number: it searches
 * the projects in order when there are many, and sorts those of the namespaces when there are few.
 */
const estimated = (matching: string) => `IN (${matching})`;
/** The condition in a count: looks the namespaces up first, instead of comparing the texts of every project. */
const lookedUp = (matching: string) => `= ANY (ARRAY(${matching}))`;

function parameters(): { bind: Bind; values: unknown[] } {
  const values: unknown[] = [];
  return { bind: (value) => `$${String(values.push(value))}`, values };
}

/** Builds the conditions of disjoint parts. */
function conditions(
  scope: ProjectScope,
  filters: ProjectFilters,
  bind: Bind,
  among: (matching: string) => string,
): string[] {
  const { archived, visibilityLevel: level } = filters;
  const always = [
    'p.deleted_at IS NULL',
    ...(archived === undefined ? [] : [archived ? 'p.archived' : 'NOT p.archived']),
    ...(level === undefined ? [] : [`p.visibility_level = ${String(level)}`]),
    ...(filters.name === undefined ? [] : [`p.name ILIKE ${bind(containing(filters.name))}`]),
  ];
  const matches =
    filters.search === undefined ? ['true'] : searches(bind(containing(filters.search)), among);
  return scope(bind, level).flatMap((condition) =>
    matches.map((match) => [...always, `(${condition})`, `(${match})`].join(' AND ')),
  );
}

/** Two disjoint parts: the project's own texts match, or only the namespace's name does. */
function searches(pattern: string, among: (matching: string) => string): string[] {
  const ownTexts = `(p.name ILIKE ${pattern} OR p.path ILIKE ${pattern} OR p.description ILIKE ${pattern})`;
  const matching = `SELECT sn.id FROM namespaces sn WHERE sn.name ILIKE ${pattern}`;
  return [ownTexts, `p.namespace_id ${among(matching)} AND ${ownTexts} IS NOT TRUE`];
}
