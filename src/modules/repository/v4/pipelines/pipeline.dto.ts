import {
  BooleanParam,
  EnumParam,
  PageQuery,
  StringListParam,
  StringParam,
  TimestampParam,
} from '../../../../platform/http/index.js';
import type { JobFilter } from '../../commits/statuses/pipelines.repository.js';
import type { PipelineFilter } from '../../commits/statuses/pipelines.js';
import { STATUS_STATES } from '../../commits/statuses/status.rules.js';

/** The states of a scope. */
const SCOPES = {
  running: ['running'],
  pending: ['pending'],
  finished: ['success', 'failed', 'canceled'],
} as const;

const SCOPE_NAMES = ['running', 'pending', 'finished'] as const;

const STATES = [
  ...['created', 'waiting_for_resource', 'preparing', 'waiting_for_callback', 'pending'],
  ...['running', 'success', 'failed', 'canceling', 'canceled', 'skipped', 'manual', 'scheduled'],
];

const ORDERS = ['id'] as const;

const SOURCES = [
  ...['external', 'push', 'web', 'trigger', 'schedule', 'api', 'pipeline', 'chat', 'webide'],
  ...['merge_request_event', 'external_pull_request_event', 'parent_pipeline'],
];

/** `GET /projects/:id/pipelines`. */
export class V4ListPipelinesDto extends PageQuery {
  @EnumParam(SCOPE_NAMES)
  scope?: (typeof SCOPE_NAMES)[number];

  @EnumParam(STATES, { description: 'Of these, pipelines have those that statuses combine to.' })
  status?: string;

  @EnumParam(SOURCES, { description: 'All pipelines are `external`.' })
  source?: string;

  @StringParam({ blank: 'absent', description: 'A branch or tag.' })
  ref?: string;

  @StringParam({ blank: 'absent', description: 'The full hash of a commit.' })
  sha?: string;

  @BooleanParam({ description: 'No pipeline has errors.' })
  yaml_errors?: boolean;

  @StringParam({ blank: 'absent', description: 'No pipeline has a name.' })
  name?: string;

  @StringParam({ blank: 'absent', description: 'Whose first status is by this user.' })
  username?: string;

  @TimestampParam()
  created_after?: Date;

  @TimestampParam()
  created_before?: Date;

  @TimestampParam()
  updated_after?: Date;

  @TimestampParam()
  updated_before?: Date;

  @EnumParam(ORDERS, { default: 'id' })
  order_by: (typeof ORDERS)[number] = 'id';

  @EnumParam(['asc', 'desc'] as const, { default: 'desc' })
  sort: 'asc' | 'desc' = 'desc';
}

/** Returns null where no pipeline can match. */
export function toPipelineFilter(query: V4ListPipelinesDto): PipelineFilter | null {
  const { scope, status, source = 'external', name, yaml_errors: hasErrors } = query;
  if (source !== 'external' || name !== undefined || hasErrors === true) return null;
  const ofScope: readonly string[] | undefined = scope && SCOPES[scope];
  const isOfBoth = status === undefined || ofScope === undefined || ofScope.includes(status);
  if (!isOfBoth) return null;
  return {
    ref: query.ref,
    shas: query.sha === undefined ? undefined : [query.sha],
    username: query.username,
    createdAfter: query.created_after,
    createdBefore: query.created_before,
    updatedAfter: query.updated_after,
    updatedBefore: query.updated_before,
    statuses: status === undefined ? ofScope : [status],
    isAscending: query.sort === 'asc',
  };
}

/** `GET /projects/:id/pipelines/latest`. */
export class V4ReadLatestPipelineDto {
  @StringParam({ blank: 'absent', description: 'A branch or tag; the default branch if absent.' })
  ref?: string;
}

/** `GET /projects/:id/pipelines/:pipeline_id/jobs`. */
export class V4ListJobsDto extends PageQuery {
  @StringListParam({ description: 'States; all if absent.' })
  scope?: string[];

  @BooleanParam({ description: 'Not only the newest of each name.', default: false })
  include_retried: boolean = false;
}

export const toJobFilter = ({ scope, include_retried: all }: V4ListJobsDto): JobFilter => ({
  states: scope && STATUS_STATES.filter((state) => scope.includes(state)),
  all,
});
