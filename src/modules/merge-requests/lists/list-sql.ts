import {
  COUNTED_ITEMS,
  firstTexts,
  type PageRequest,
  windowOf,
} from '../../../platform/http/index.js';
import type { MergeRequestState } from '../merge-request.entity.js';
import { COLUMNS } from '../merge-requests.repository.js';

/** What a list is asked for; all of it has to hold. */
export interface ListFilter {
  states: readonly MergeRequestState[];
  /** Numbers within the project. */
  iids?: readonly number[] | undefined;
  /** Ties go by ID in the same direction. */
  order: { by: 'created_at' | 'updated_at'; direction: 'asc' | 'desc' };
}

export interface Statement {
  sql: string;
  parameters: unknown[];
}

const NEWEST_FIRST: ListFilter['order'] = { by: 'created_at', direction: 'desc' };

/** With the descriptions of the first requests, and the length of all that answers embed. */
const listedColumns = (order: string): string => `
  ${COLUMNS.replace('m.description,', `${firstTexts('m.description', order)} AS description,`)},
  (coalesce(octet_length(m.description), 0)
   + coalesce(octet_length(milestone.description), 0))::int AS "textBytes"`;

/**
 * One page of a project's merge requests, and one more as far as there is one; rows of
 * `ListedMergeRequest`.
 */
export function pageStatement(
  projectId: number,
  filter: ListFilter,
  request: PageRequest,
): Statement {
  const { direction } = filter.order;
  const { offset, limit } = windowOf(request);
  return {
    sql: `
      SELECT ${listedColumns(`page.at ${direction}, page.id ${direction}`)}
        FROM (SELECT top.id, top.at ${tops(filter)} ORDER BY top.at ${direction}, top.id ${direction}
               LIMIT $5 OFFSET $6) page
        CROSS JOIN LATERAL (SELECT * FROM merge_requests one WHERE one.id = page.id LIMIT 1) m
        JOIN projects p ON p.id = m.project_id
        JOIN namespaces n ON n.id = p.namespace_id
        LEFT JOIN milestones milestone ON milestone.id = m.milestone_id
       ORDER BY page.at ${direction}, page.id ${direction}`,
    parameters: [...parameters(projectId, filter, offset + limit), limit, offset],
  };
}

/** How many there are, as `count`; no further than totals are told. */
export function countStatement(projectId: number, filter: ListFilter): Statement {
  const most = COUNTED_ITEMS + 1;
  // In an order, so that an index is read, and in the same one whatever the list's is.
  const first = tops({ ...filter, order: NEWEST_FIRST });
  return {
    sql: `SELECT count(*)::int AS count FROM (SELECT 1 ${first} LIMIT $4) AS bounded`,
    parameters: parameters(projectId, filter, most),
  };
}

const parameters = (projectId: number, { states, iids }: ListFilter, most: number): unknown[] => [
  projectId,
  states,
  iids ?? null,
  most,
];

/**
 * From `FROM` on: `id` and time `at` of the first ones of each state. An index has those of a state in
 * order, so no more are read than pages were asked for; those of given numbers are found by these.
 */
const tops = ({ iids, order: { by, direction } }: ListFilter): string => `
  FROM unnest($2::varchar[]) AS wanted (state)
 CROSS JOIN LATERAL (
   SELECT m.id, m.${by} AS at FROM merge_requests m
    WHERE m.project_id = $1 AND m.state = wanted.state AND m.deleted_at IS NULL
      AND ${iids === undefined ? '$3::int[] IS NULL' : 'm.iid = ANY($3::int[])'}
    ORDER BY m.${by} ${direction}, m.id ${direction} LIMIT $4) top`;
