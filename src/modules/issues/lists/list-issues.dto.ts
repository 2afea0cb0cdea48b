import {
  EnumParam,
  IdParam,
  PageQuery,
  StringListParam,
  StringParam,
} from '../../../platform/http/index.js';
import type { ListFilter } from './issue-list.js';

const STATES = ['opened', 'closed', 'all'] as const;
const ORDERS = ['created_at', 'updated_at'] as const;
const DIRECTIONS = ['asc', 'desc'] as const;

/** What every list of issues takes (docs/reference/issues.md#get-issues). */
class ListIssuesDto extends PageQuery {
  @EnumParam(STATES, { default: 'all' })
  state: (typeof STATES)[number] = 'all';

  @EnumParam(ORDERS, { default: 'created_at' })
  order_by: (typeof ORDERS)[number] = 'created_at';

  @EnumParam(DIRECTIONS, { default: 'desc' })
  sort: (typeof DIRECTIONS)[number] = 'desc';

  @StringParam({
    blank: 'absent',
    description: 'Title; `No Milestone` for issues without one.',
  })
  milestone?: string;
}

/** `GET /issues`. */
export class ListOwnIssuesDto extends ListIssuesDto {
  @StringListParam({ description: 'Names; issues with any of them.' })
  labels?: string[];
}

/** `GET /groups/:id/issues`. */
export class ListGroupIssuesDto extends ListIssuesDto {
  @StringListParam({ description: 'Names; issues with all of them.' })
  labels?: string[];
}

/** `GET /projects/:id/issues`. */
export class ListProjectIssuesDto extends ListOwnIssuesDto {
  @IdParam({ description: 'Number within the project.' })
  iid?: number;
}

const NO_MILESTONE = 'No Milestone';

type Filters = ListIssuesDto & { labels?: string[]; iid?: number };

export function toListFilter({
  state,
  order_by,
  sort,
  labels,
  iid,
  milestone,
}: Filters): ListFilter {
  return {
    states: state === 'all' ? ['opened', 'closed'] : [state],
    labels: [...new Set(labels)],
    iid,
    milestone: milestone === NO_MILESTONE ? null : milestone,
    order: { by: order_by, direction: sort },
  };
}
