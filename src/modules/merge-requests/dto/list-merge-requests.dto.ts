import { EnumParam, IdListParam, PageQuery } from '../../../platform/http/index.js';
import type { MergeRequestState } from '../merge-request.entity.js';
import type { ListFilter } from '../lists/list-sql.js';

const STATES = ['opened', 'closed', 'merged', 'all'] as const;
const ORDERS = ['created_at', 'updated_at'] as const;
const DIRECTIONS = ['asc', 'desc'] as const;

/**
 * Both open states go by the name of the first
 * (docs/reference/merge-requests.md#get-projectsidmerge_requests).
 */
const STATES_OF: Readonly<Record<(typeof STATES)[number], readonly MergeRequestState[]>> = {
  opened: ['opened', 'reopened'],
  closed: ['closed'],
  merged: ['merged'],
  all: ['opened', 'reopened', 'closed', 'merged'],
};

/** `GET /projects/:id/merge_requests`. */
export class ListMergeRequestsDto extends PageQuery {
  @IdListParam({
    description: 'Numbers within the project; those that are not there do not matter.',
  })
  iid?: number[];

  @EnumParam(STATES, { default: 'all' })
  state: (typeof STATES)[number] = 'all';

  @EnumParam(ORDERS, { default: 'created_at' })
  order_by: (typeof ORDERS)[number] = 'created_at';

  @EnumParam(DIRECTIONS, { default: 'desc' })
  sort: (typeof DIRECTIONS)[number] = 'desc';
}

export function toListFilter({ iid, state, order_by, sort }: ListMergeRequestsDto): ListFilter {
  return { iids: iid, states: STATES_OF[state], order: { by: order_by, direction: sort } };
}
