import { containing, PLANNED } from '../../../platform/database/index.js';
import { type Visibility, VISIBILITY_LEVEL } from '../../authorization/index.js';
import { countOfRows } from '../../../platform/pagination/index.js';
import { topicByName } from '../topics/topics.sql.js';
import type { ProjectScope, ScopedStatement } from './project-scopes.sql.js';

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
  visibility?: Visibility | undefined;
  /** Part of name, path, description or the namespace's name, in any case. */
  search?: string | undefined;
  /** Part of name, path or description, in any case. */
  text?: string | undefined;
  /** Part of the full path, or of what `text` searches, in any case. */
  textOrFullPath?: string | undefined;
  /** Part of the name, in any case. */
  name?: string | undefined;
  /** Topics that a project has all of, in any case; not empty. */
  topics?: readonly string[] | undefined;
  /** IDs above this one. */
  idAfter?: number | undefined;
  /** IDs below this one. */
  idBefore?: number | undefined;
  lastActivityAfter?: Date | undefined;
  lastActivityBefore?: Date | undefined;
  /** True: projects with issues; undefined: all. */
  withIssues?: boolean | undefined;
  /** True: projects with merge requests; undefined: all. */
  withMergeRequests?: boolean | undefined;
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

export interface ProjectStatement {
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
  { archived, orderBy: _order, sort: _sort, ...filters }: ProjectFilters,
  { offset, limit }: Window,
): boolean {
  const isFiltered = Object.values(filters).some((value) => value !== undefined);
  return archived !== true && !isFiltered && offset + limit <= PREPARED_ROWS;
}

/** Selects one row: `count`, and the IDs of a page as `ids`, null when the list is empty. For pages of `isPrepared`. */
export function countedPage(
  scope: ProjectScope,
  filters: ProjectFilters,
  window: Window,
): ProjectStatement {
  const statement = newStatement();
  const parts = conditions(scope, filters, statement);
  // The planner knows a number in the text, and takes a parameter for a tenth of the rows.
  const ids = selectIds(parts, filters, window, PREPARED_ROWS, statement);
  return statement.of(`
    SELECT c.count, CASE WHEN c.count > 0 THEN ARRAY(${ids}) END AS ids
      FROM (${countOfRows(selectOnes(parts))}) c`);
}

/** Selects one row: `count`. Planned for its values. */
export function countedProjects(scope: ProjectScope, filters: ProjectFilters): ProjectStatement {
  const statement = newStatement();
  const parts = conditions(scope, filters, statement);
  return statement.of(plannedEachTime(countOfRows(selectOnes(parts))));
}

/** Selects the IDs of a page, one per row. Planned for its values. */
export function pageOfIds(
  scope: ProjectScope,
  filters: ProjectFilters,
  window: Window,
): ProjectStatement {
  const statement = newStatement();
  const parts = conditions(scope, filters, statement);
  const end = window.offset + window.limit;
  return statement.of(plannedEachTime(selectIds(parts, filters, window, end, statement)));
}

/** A statement to which conditions add parameters and queries. `of` returns it, with what it selects at last. */
function newStatement(): ScopedStatement & { of: (select: string) => ProjectStatement } {
  const values: unknown[] = [];
  const queries: string[] = [];
  return {
    bind: (value) => `$${String(values.push(value))}`,
    collect: (idQuery) => {
      const name = `collected_${String(queries.length)}`;
      queries.push(`${name} AS MATERIALIZED (SELECT ARRAY(${idQuery}) AS ids)`);
      return `(SELECT ids FROM ${name})::int[]`;
    },
    of: (select) => ({
      sql: queries.length === 0 ? select : `WITH ${queries.join(', ')} ${select}`,
      values,
    }),
  };
}

const plannedEachTime = (sql: string): string => `${PLANNED} ${sql}`;

const selectOnes = (parts: readonly string[]): string =>
  parts.map((condition) => `SELECT 1 FROM projects p WHERE ${condition}`).join(' UNION ALL ');

/** @param rowsOfParts how many rows each part yields, at least those up to the end of the page */
function selectIds(
  parts: readonly string[],
  { orderBy = 'created_at', sort = 'desc' }: ProjectFilters,
  { offset, limit }: Window,
  rowsOfParts: number,
  { bind }: ScopedStatement,
): string {
  const direction = sort === 'asc' ? 'ASC' : 'DESC';
  // The ID breaks ties, so that pages neither overlap nor miss a project.
  const order = (table: string) => `${table}.${orderBy} ${direction}, ${table}.id ${direction}`;
  const columns = [...new Set(['id', orderBy])].map((column) => `p.${column}`).join(', ');
  const candidates = parts.map(
    (condition) =>
      `(SELECT ${columns} FROM projects p WHERE ${condition}
         ORDER BY ${order('p')} LIMIT ${String(rowsOfParts)})`,
  );
  return `
    SELECT c.id FROM (${candidates.join(' UNION ALL ')}) c
     ORDER BY ${order('c')} OFFSET ${bind(offset)} LIMIT ${bind(limit)}`;
}

/** Builds the conditions of disjoint parts. */
function conditions(
  scope: ProjectScope,
  filters: ProjectFilters,
  statement: ScopedStatement,
): string[] {
  const { archived, visibility } = filters;
  const always = [
    'p.deleted_at IS NULL',
    ...(archived === undefined ? [] : [archived ? 'p.archived' : 'NOT p.archived']),
    ...bound(visibility, (value) => `p.visibility_level = ${String(VISIBILITY_LEVEL[value])}`),
    ...bound(filters.name, (value) => `p.name ILIKE ${statement.bind(containing(value))}`),
    ...bound(filters.topics, (names) => hasTopics(statement.bind(names))),
    ...bound(filters.idAfter, (value) => `p.id > ${statement.bind(value)}`),
    ...bound(filters.idBefore, (value) => `p.id < ${statement.bind(value)}`),
    ...bound(filters.lastActivityAfter, (value) => `p.last_activity_at > ${statement.bind(value)}`),
    ...bound(
      filters.lastActivityBefore,
      (value) => `p.last_activity_at < ${statement.bind(value)}`,
    ),
    ...(filters.withIssues === true ? ['p.issues_enabled'] : []),
    ...(filters.withMergeRequests === true ? ['p.merge_requests_enabled'] : []),
    ...bound(filters.text, (value) => ownTexts(statement.bind(containing(value)))),
  ];
  const matches = [
    ...bound(filters.search, (value) => searches(statement.bind(containing(value)))),
    ...bound(filters.textOrFullPath, (value) =>
      searchesOfFullPath(statement.bind(containing(value))),
    ),
  ][0] ?? ['true'];
  return scope(statement, visibility).flatMap((condition) =>
    matches.map((match) => [...always, `(${condition})`, `(${match})`].join(' AND ')),
  );
}

const bound = <Value, Made>(value: Value | undefined, make: (value: Value) => Made): Made[] =>
  value === undefined ? [] : [make(value)];

/** An unknown topic is null in the array, which no project has. */
const hasTopics = (names: string): string => `
  p.topics <> '{}' AND p.topics @> ARRAY(
    SELECT (SELECT t.name::text FROM ${topicByName('asked.name')} t)
      FROM unnest(${names}::text[]) AS asked (name))`;

const ownTexts = (pattern: string): string =>
  `(p.name ILIKE ${pattern} OR p.path ILIKE ${pattern} OR p.description ILIKE ${pattern})`;

/**
 * Two disjoint parts: the project's own texts match, or only the namespace's name does. The namespaces are looked up
 * first, once.
 */
function searches(pattern: string): string[] {
  const own = ownTexts(pattern);
  const matching = `SELECT sn.id FROM namespaces sn WHERE sn.name ILIKE ${pattern}`;
  return [own, `p.namespace_id = ANY(ARRAY(${matching})) AND ${own} IS NOT TRUE`];
}

/** Two disjoint parts: the project's own texts match, or only its full path does. */
function searchesOfFullPath(pattern: string): string[] {
  const own = ownTexts(pattern);
  const fullPath = `(SELECT sn.path FROM namespaces sn WHERE sn.id = p.namespace_id) || '/' || p.path`;
  return [own, `${fullPath} ILIKE ${pattern} AND ${own} IS NOT TRUE`];
}
