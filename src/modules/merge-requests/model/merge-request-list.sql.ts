import {
  type EntityColumns,
  opaqueArray,
  opaqueValue,
  PLANNED,
} from '../../../platform/database/index.js';
import {
  COUNTED_ITEMS,
  firstTexts,
  inFirstPart,
  type PageRequest,
  preparedRows,
  windowOf,
} from '../../../platform/pages/index.js';
import { isSubscribed } from '../../issuables/index.js';
import type { MergeRequest, MergeRequestState } from './merge-request.entity.js';
import { locatedColumns } from './merge-request.sql.js';

/** The filters and the order of a list; all filters have to match. */
export interface MergeRequestFilter {
  states: readonly MergeRequestState[];
  /** Numbers within the project. */
  iids?: readonly number[] | undefined;
  /** Ties go by ID in the same direction. */
  order: { by: 'created_at' | 'updated_at'; direction: 'asc' | 'desc' };
}

interface Statement {
  sql: string;
  parameters: unknown[];
}

const NEWEST_FIRST: MergeRequestFilter['order'] = { by: 'created_at', direction: 'desc' };

/** What a list is about. */
export interface ListQuestion {
  readonly projectId: number;
  readonly filter: MergeRequestFilter;
  readonly request: PageRequest;
  readonly readerId: number;
}

/** The columns of a `ListedMergeRequest`: descriptions of the first requests only, and the length of all texts. */
const listedColumns = (columns: EntityColumns<MergeRequest>, order: string): string => `
  ${locatedColumns(columns.without('description'))},
  ${firstTexts('m.description', order)} AS description, ${TEXT_BYTES} AS "textBytes",
  ${inFirstPart(TEXT_BYTES, order)} AS "hasRelations",
  ${isSubscribed('m', 'MergeRequest', opaqueValue('$4', 'int'))} AS subscribed`;

const TEXT_BYTES = `
  (coalesce(octet_length(m.description), 0) + coalesce(octet_length(milestone.description), 0))::int`;

/**
 * Selects one page of a project's merge requests as `ListedMergeRequest`, and the next one if there is any. Without
 * numbers to search for it also counts.
 * @param columns those of a `LocatedMergeRequest`
 */
export function pageStatement(
  columns: EntityColumns<MergeRequest>,
  { projectId, filter, request, readerId }: ListQuestion,
): Statement & { count?: string } {
  const { direction } = filter.order;
  const { offset, limit } = windowOf(request);
  const rows = preparedRows(request);
  const end = rows ?? offset + limit;
  const byTime = `at ${direction}, id ${direction}`;
  const order = `page.at ${direction}, page.id ${direction}`;
  const page = {
    sql: `${rows === null ? PLANNED : ''}
      SELECT ${listedColumns(columns, order)}
        FROM (SELECT * FROM (
                SELECT top.id, top.at ${firstOfEachState(filter, end)}
                 ORDER BY ${byTime} LIMIT ${String(end)}) first
               ORDER BY ${byTime} LIMIT $5 OFFSET $6) page
        CROSS JOIN LATERAL (SELECT * FROM merge_requests one WHERE one.id = page.id LIMIT 1) m
        JOIN projects p ON p.id = m.project_id
        JOIN namespaces n ON n.id = p.namespace_id
        LEFT JOIN milestones milestone ON milestone.id = m.milestone_id
       ORDER BY ${order}`,
    parameters: [projectId, filter.states, filter.iids ?? null, readerId, limit, offset],
  };
  return filter.iids === undefined ? { ...page, count: KEPT_COUNT } : page;
}

/** Counts the requests of a list that searches for numbers as `count`, up to the highest total that responses name. */
export function countStatement({ projectId, filter }: ListQuestion): Statement {
  const most = COUNTED_ITEMS + 1;
  // Ordered, so that an index is read, and always alike, so that the statement is planned once.
  const first = firstOfEachState({ ...filter, order: NEWEST_FIRST }, most);
  return {
    sql: `SELECT count(*)::int AS count FROM (SELECT 1 ${first} LIMIT ${String(most)}) AS bounded`,
    parameters: [projectId, filter.states, filter.iids ?? null],
  };
}

/** Reads the counters. Those that were reopened are counted with the open ones, with which each list has them. */
const KEPT_COUNT = `
  SELECT coalesce(sum(CASE wanted.state WHEN 'opened' THEN c.opened WHEN 'closed' THEN c.closed
                                        WHEN 'merged' THEN c.merged ELSE 0 END), 0)::int
    FROM merge_request_counts c
   CROSS JOIN unnest(${opaqueArray('$2', 'varchar')}) AS wanted (state)
   WHERE c.project_id = ${opaqueValue('$1', 'int')}`;

/**
 * The `FROM` clause with `id` and time `at` of the first requests of each state. An index has those of a state
 * in order, so no more rows are read than the page needs; filtered by iid, rows are found by their iid.
 */
const firstOfEachState = (
  { iids, order: { by, direction } }: MergeRequestFilter,
  count: number,
): string => `
  FROM unnest(${opaqueArray('$2', 'varchar')}) AS wanted (state)
 CROSS JOIN LATERAL (
   SELECT m.id, m.${by} AS at FROM merge_requests m
    WHERE m.project_id = ${opaqueValue('$1', 'int')} AND m.state = wanted.state AND m.deleted_at IS NULL
      AND ${iids === undefined ? '$3::int[] IS NULL' : `m.iid = ANY(${opaqueArray('$3', 'int')})`}
    ORDER BY m.${by} ${direction}, m.id ${direction} LIMIT ${String(count)}) top`;
