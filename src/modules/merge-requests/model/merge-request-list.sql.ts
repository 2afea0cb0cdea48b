import { type EntityColumns, opaqueArray, opaqueValue } from '../../../platform/database/index.js';
import type { PageRequest } from '../../../platform/pagination/index.js';
import {
  countOfIssuables,
  type ListOrder,
  type ListStatement,
  NEWEST_FIRST,
  pageOfIssuables,
} from '../../issuables/index.js';
import type { MergeRequest, MergeRequestState } from './merge-request.entity.js';
import { locatedColumns } from './merge-request.sql.js';

/** The filters and the order of a list; all filters have to match. */
export interface MergeRequestFilter {
  states: readonly MergeRequestState[];
  /** Numbers within the project. */
  iids?: readonly number[] | undefined;
  order: ListOrder;
}

/** What a list is about. */
export interface ListQuestion {
  readonly projectId: number;
  readonly filter: MergeRequestFilter;
  readonly request: PageRequest;
  readonly readerId: number;
}

/**
 * Selects one page of a project's merge requests, and the next one if there is any. Without numbers to search for it also
 * counts.
 * @param columns those of a `LocatedMergeRequest`
 */
export function pageStatement(
  columns: EntityColumns<MergeRequest>,
  question: ListQuestion,
): ListStatement & { count?: string } {
  const { filter, request, readerId } = question;
  const parameters = firstParameters(question);
  const sql = pageOfIssuables({
    type: 'MergeRequest',
    columns: locatedColumns(columns.without('description'), 't'),
    tops: (count) => firstOfEachState(filter, count),
    order: filter.order,
    request,
    parameter: (value) => `$${String(parameters.push(value))}`,
    readerId,
  });
  const page = { sql, parameters };
  return filter.iids === undefined ? { ...page, count: KEPT_COUNT } : page;
}

/** Counts the requests of a list that searches for numbers. */
export function countStatement(question: ListQuestion): ListStatement {
  const filter = { ...question.filter, order: NEWEST_FIRST };
  const sql = countOfIssuables((count) => firstOfEachState(filter, count));
  return { sql, parameters: firstParameters(question) };
}

/** The parameters of `firstOfEachState`. */
const firstParameters = ({ projectId, filter }: ListQuestion): unknown[] => [
  ...[projectId, filter.states, filter.iids ?? null],
];

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
