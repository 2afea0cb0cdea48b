import {
  EnumParam,
  IdParam,
  ObjectParam,
  PageQuery,
  StringListParam,
  StringParam,
} from '../../../platform/http/index.js';
import {
  type ListScope,
  toApproverFilters,
  toIssuableFilters,
  toLabelNames,
  toListOrder,
  toMilestoneTitle,
  toNegatedPeople,
  toPersonFilters,
  V4ListIssuablesDto,
  V4NegatedFiltersDto,
} from '../../issuables/v4/index.js';
import type { MergeRequestState } from '../model/merge-request.entity.js';
import type { MergeRequestFilter } from '../model/merge-request-list.sql.js';

const STATES = ['opened', 'closed', 'locked', 'merged', 'all'] as const;

/** `opened` selects requests that were reopened as well; none is ever locked. */
const SELECTED_STATES: Readonly<Record<(typeof STATES)[number], readonly MergeRequestState[]>> = {
  opened: ['opened', 'reopened'],
  closed: ['closed'],
  locked: [],
  merged: ['merged'],
  all: ['opened', 'reopened', 'closed', 'merged'],
};

/** `not` of merge requests. */
class V4NegatedRequestFiltersDto extends V4NegatedFiltersDto {
  @IdParam()
  reviewer_id?: number;

  @StringParam({ blank: 'absent' })
  reviewer_username?: string;

  @StringParam({ blank: 'absent' })
  source_branch?: string;

  @StringParam({ blank: 'absent' })
  target_branch?: string;
}

/** `GET /merge_requests`, `GET /groups/:id/merge_requests` and `GET /projects/:id/merge_requests`. */
export class V4ListMergeRequestsDto extends V4ListIssuablesDto {
  @EnumParam(STATES, { default: 'all' })
  state: (typeof STATES)[number] = 'all';

  @EnumParam(['simple'], { description: '`simple`: nine fields of each.' })
  view?: 'simple';

  @EnumParam(['yes', 'no'], { description: 'Whether only drafts are listed, or none of them.' })
  wip?: 'yes' | 'no';

  @ObjectParam(V4NegatedRequestFiltersDto, {
    description: 'What they must not be, as `not[labels]`.',
  })
  override not?: V4NegatedRequestFiltersDto;

  @StringParam({ blank: 'absent' })
  source_branch?: string;

  @StringParam({ blank: 'absent' })
  target_branch?: string;

  @StringParam({
    blank: 'absent',
    description: 'ID of a user among the reviewers; `None`: without a reviewer; `Any`: with one.',
  })
  reviewer_id?: string;

  @StringParam({ blank: 'absent' })
  reviewer_username?: string;

  @StringListParam({
    description:
      'IDs of users, all of whom have approved; `None`: approved by nobody; `Any`: by somebody.',
  })
  approved_by_ids?: string[];

  @StringListParam({ description: 'User names, all of whom have approved.' })
  approved_by_usernames?: string[];
}

/** `GET /projects/:id/repository/commits/:sha/merge_requests`. */
export class V4ListCommitMergeRequestsDto extends PageQuery {
  @EnumParam(STATES, { default: 'all' })
  state: (typeof STATES)[number] = 'all';
}

export const toStates = ({ state }: V4ListCommitMergeRequestsDto): readonly MergeRequestState[] =>
  SELECTED_STATES[state];

/** @param otherwise the scope of the list unless another one is asked for */
export function toFilter(
  query: V4ListMergeRequestsDto,
  callerId: number | null,
  otherwise: ListScope,
): MergeRequestFilter {
  const labels = toLabelNames(query);
  const { reviewer_id: reviewerId, reviewer_username: reviewer } = query;
  const reviewers = toPersonFilters(
    'reviewer',
    reviewerId,
    reviewer === undefined ? [] : [reviewer],
  );
  const approvers = toApproverFilters(query.approved_by_ids, query.approved_by_usernames);
  const shared = toIssuableFilters(query, callerId, otherwise);
  const { not } = query;
  return {
    states: SELECTED_STATES[query.state],
    sourceBranch: query.source_branch,
    targetBranch: query.target_branch,
    labels: labels.length === 0 ? undefined : labels,
    milestone: toMilestoneTitle(query),
    others: {
      ...shared,
      ...{ reviewers, approvers },
      isDraft: query.wip === undefined ? undefined : query.wip === 'yes',
      not: not && { ...shared.not, ...toNegatedRequestFilters(not) },
    },
    order: toListOrder(query),
  };
}

/** @throws DomainError invalid parameter */
function toNegatedRequestFilters(not: V4NegatedRequestFiltersDto) {
  const { reviewer_id: id, reviewer_username: username } = not;
  return {
    reviewers: toNegatedPeople('reviewer', id, username === undefined ? [] : [username]),
    sourceBranch: not.source_branch,
    targetBranch: not.target_branch,
  };
}
