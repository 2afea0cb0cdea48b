import { DateParam, EnumParam, PageQuery } from '../../../platform/http/index.js';
import type { EventFilter } from '../feeds.repository.js';

/** The recorded actions behind each name. Reopening is recorded as opening; updates are not recorded. */
const ACTIONS = {
  created: ['created', 'imported', 'opened'],
  updated: [],
  closed: ['closed'],
  reopened: [],
  pushed: ['pushed new', 'pushed to', 'deleted'],
  commented: ['commented on'],
  merged: ['accepted'],
  joined: ['joined'],
  left: ['left'],
  destroyed: ['destroyed'],
  expired: ['removed due to membership expiration from'],
  approved: ['approved'],
} as const;

/** The types of targets as events show them; null for those that no event has. */
const TARGET_TYPES = {
  issue: 'Issue',
  milestone: 'Milestone',
  merge_request: 'MergeRequest',
  note: 'Note',
  project: null,
  snippet: null,
  user: null,
  wiki: null,
  design: null,
  epic: null,
} as const;

type ActionName = keyof typeof ACTIONS;
type TargetTypeName = keyof typeof TARGET_TYPES;

const namesOf = <Name extends string>(table: Readonly<Record<Name, unknown>>): Name[] =>
  Object.keys(table) as Name[];

const DAY_MS = 24 * 60 * 60_000;

/** `GET /users/:id/events` and `GET /projects/:id/events`. */
export class V4ListEventsDto extends PageQuery {
  @EnumParam(namesOf(ACTIONS), { description: 'Only events of this action.' })
  action?: ActionName;

  @EnumParam(namesOf(TARGET_TYPES), { description: 'Only events on targets of this type.' })
  target_type?: TargetTypeName;

  @DateParam({ description: 'Only events before this day, UTC.' })
  before?: string | null;

  @DateParam({ description: 'Only events after this day, UTC.' })
  after?: string | null;

  @EnumParam(['asc', 'desc'], { description: 'The order by time.', default: 'desc' })
  sort: 'asc' | 'desc' = 'desc';
}

/** `GET /events`. */
export class V4ListOwnEventsDto extends V4ListEventsDto {
  @EnumParam(['all'], {
    description: 'The events of everybody in all projects that the caller is a member of.',
  })
  scope?: 'all';
}

export function toEventFilter(query: V4ListEventsDto): EventFilter {
  const { action, target_type: type, before, after, sort } = query;
  return {
    actions: action && ACTIONS[action],
    targetType: type && TARGET_TYPES[type],
    until: startOf(before),
    since: startOf(after, DAY_MS),
    isAscending: sort === 'asc',
  };
}

function startOf(day: string | null | undefined, offsetMs = 0): Date | undefined {
  return day === null || day === undefined ? undefined : new Date(Date.parse(day) + offsetMs);
}
