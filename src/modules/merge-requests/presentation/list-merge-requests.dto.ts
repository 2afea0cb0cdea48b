import { EnumParam, IdListParam, PageQuery } from '../../../platform/http/index.js';
import type { MergeRequestState } from '../model/merge-request.entity.js';
import type { MergeRequestFilter } from '../model/merge-request-list.sql.js';

const STATES = ['opened', 'closed', 'merged', 'all'] as const;
const ORDERS = ['created_at', 'updated_at'] as const;
const DIRECTIONS = ['asc', 'desc'] as const;

/**
 * The states that each value of the parameter selects: `opened` selects both open states
 * (docs/reference/merge-requests.md#get-projectsidmerge_requests).
 */
const SELECTED_STATES: Readonly<Record<(typeof STATES)[number], readonly MergeRequestState[]>> = {
  opened: ['opened', 'reopened'],
  closed: ['closed'],
  merged: ['merged'],
  all: ['opened', 'reopened', 'closed', 'merged'],
};

/** `GET /projects/:id/merge_requests`. */
export class ListMergeRequestsDto extends PageQuery {
  @IdListParam({
    description: 'Iids; those of no merge request are ignored.',
  })
  iid?: number[];

  @EnumParam(STATES, { default: 'all' })
  state: (typeof STATES)[number] = 'all';

  @EnumParam(ORDERS, { default: 'created_at' })
  order_by: (typeof ORDERS)[number] = 'created_at';

  @EnumParam(DIRECTIONS, { default: 'desc' })
  sort: (typeof DIRECTIONS)[number] = 'desc';
}

export function toFilter({ iid, state, order_by, sort }: ListMergeRequestsDto): MergeRequestFilter {
  return { iids: iid, states: SELECTED_STATES[state], order: { by: order_by, direction: sort } };
}
