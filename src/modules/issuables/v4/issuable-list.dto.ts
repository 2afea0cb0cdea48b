import { invalidParameter } from '../../../platform/errors/index.js';
import {
  EnumParam,
  IdListParam,
  IdParam,
  ObjectParam,
  PageQuery,
  StringListParam,
  StringParam,
  TimestampParam,
} from '../../../platform/http/index.js';
import { MAX_ID, UNKNOWN_ID } from '../../../platform/database/index.js';
import type { ListOrder } from '../relations/issuable-lists.sql.js';
import type { IssuableFilters, PersonFilter } from '../relations/issuable-filters.sql.js';
import type { NegatedFilters } from '../relations/negated-filters.sql.js';
import type { NamedPerson, Reaction } from '../relations/row-conditions.sql.js';

const SCOPES = [
  ...(['created_by_me', 'assigned_to_me', 'all'] as const),
  ...(['created-by-me', 'assigned-to-me'] as const),
] as const;
const ORDERS = ['created_at', 'updated_at'] as const;
const DIRECTIONS = ['asc', 'desc'] as const;
const SEARCHED = ['title', 'description'] as const;

/** `not`: what the items of a list of issues or merge requests must not be. */
export class V4NegatedFiltersDto {
  @IdListParam()
  iids?: number[];

  @StringListParam({ description: 'Names, none of which they have.' })
  labels?: string[];

  @StringParam({ blank: 'absent', description: 'Title.' })
  milestone?: string;

  @IdParam()
  author_id?: number;

  @StringParam({ blank: 'absent' })
  author_username?: string;

  @IdParam()
  assignee_id?: number;

  @StringListParam({ description: 'User names, none of which is assigned.' })
  assignee_username?: string[];

  @StringParam({ blank: 'absent', description: 'What the caller has not awarded.' })
  my_reaction_emoji?: string;
}

/** What every list of issues or merge requests takes. */
export class V4ListIssuablesDto extends PageQuery {
  @EnumParam(SCOPES, {
    description: 'Default: `all` in projects and groups, else `created_by_me`.',
  })
  scope?: (typeof SCOPES)[number];

  @EnumParam(ORDERS, { default: 'created_at' })
  order_by: (typeof ORDERS)[number] = 'created_at';

  @EnumParam(DIRECTIONS, { default: 'desc' })
  sort: (typeof DIRECTIONS)[number] = 'desc';

  @IdListParam({ description: 'Numbers within the project.' })
  iids?: number[];

  @StringListParam({
    description: 'Names, all of which they have; `None`: without labels; `Any`: with some.',
  })
  labels?: string[];

  @StringParam({
    blank: 'absent',
    description: 'Title; `None`: without a milestone; `Any`: with one.',
  })
  milestone?: string;

  @IdParam()
  author_id?: number;

  @StringParam({ blank: 'absent' })
  author_username?: string;

  @StringParam({
    blank: 'absent',
    description: 'ID of a user among the assignees; `None`: without an assignee; `Any`: with one.',
  })
  assignee_id?: string;

  @StringListParam({ description: 'User names, all of which are assigned.' })
  assignee_username?: string[];

  @StringParam({ blank: 'absent', description: 'A part of title or description.' })
  search?: string;

  @StringListParam({ name: 'in', description: 'Where `search` looks. Default: both.' })
  searched?: string[];

  @StringParam({
    blank: 'absent',
    description: 'An emoji that the caller has awarded; `None`: without one; `Any`: with one.',
  })
  my_reaction_emoji?: string;

  @ObjectParam(V4NegatedFiltersDto, { description: 'What they must not be, as `not[labels]`.' })
  not?: V4NegatedFiltersDto;

  @TimestampParam()
  created_after?: Date;

  @TimestampParam()
  created_before?: Date;

  @TimestampParam()
  updated_after?: Date;

  @TimestampParam()
  updated_before?: Date;
}

/** What a list shows of the issues or merge requests that the caller may read. */
export type ListScope = 'created_by_me' | 'assigned_to_me' | 'all';

export const toScope = (
  { scope }: Pick<V4ListIssuablesDto, 'scope'>,
  otherwise: ListScope,
): ListScope => (scope?.replaceAll('-', '_') as ListScope | undefined) ?? otherwise;

/**
 * The filters that both kinds have, without names of labels and titles of milestones.
 * @param callerId null for anonymous callers, who have created nothing
 */
export function toIssuableFilters(
  query: V4ListIssuablesDto,
  callerId: number | null,
  otherwise: ListScope,
): IssuableFilters {
  assertFew('iids', query.iids);
  assertFew('labels', query.labels);
  const { author_id: authorId, author_username: authorUsername } = query;
  if (authorId !== undefined && authorUsername !== undefined) {
    throw invalidParameter('author_id, author_username are mutually exclusive');
  }
  assertFew('assignee_username', query.assignee_username);
  const assignees = toPersonFilters('assignee', query.assignee_id, query.assignee_username);
  const filters: IssuableFilters = {
    iids: query.iids,
    authorId,
    authorUsername,
    assignees,
    milestone: isAny(query.milestone) ? 'any' : undefined,
    labels: toLabelPresence(query.labels),
    search: toSearch(query),
    reaction: toReaction(query.my_reaction_emoji, callerId),
    not: toNegatedFilters(query.not, callerId),
    createdAfter: query.created_after,
    createdBefore: query.created_before,
    updatedAfter: query.updated_after,
    updatedBefore: query.updated_before,
  };
  const ownId = callerId ?? UNKNOWN_ID;
  const scope = toScope(query, otherwise);
  if (scope === 'created_by_me') return { ...filters, authorId: both(authorId, ownId) };
  if (scope === 'assigned_to_me') {
    return { ...filters, assignees: [...(assignees ?? []), { id: ownId }] };
  }
  return filters;
}

/** The title of a milestone; null for those without one, undefined for no such filter. */
export function toMilestoneTitle({
  milestone,
}: Pick<V4ListIssuablesDto, 'milestone'>): string | null | undefined {
  if (milestone?.toLowerCase() === 'none' || milestone === 'No Milestone') return null;
  return isAny(milestone) ? undefined : milestone;
}

/** The names of labels, unless the filter is about their presence. */
export const toLabelNames = ({ labels = [] }: Pick<V4ListIssuablesDto, 'labels'>): string[] =>
  toLabelPresence(labels) === undefined ? [...new Set(labels)] : [];

export const toListOrder = ({ order_by: by, sort: direction }: V4ListIssuablesDto): ListOrder => ({
  by,
  direction,
});

const isAny = (value: string | undefined): boolean => value?.toLowerCase() === 'any';

/** Two filters on one column: of two users nothing is by both. */
const both = (wanted: number | undefined, callerId: number): number =>
  wanted === undefined || wanted === callerId ? callerId : UNKNOWN_ID;

function toLabelPresence(labels: readonly string[] = []): 'any' | 'none' | undefined {
  const [only] = labels.length === 1 ? labels : [];
  if (isAny(only)) return 'any';
  return only?.toLowerCase() === 'none' || only === 'No Label' ? 'none' : undefined;
}

/** Each value is looked up in each project of a list. */
const MAX_VALUES = 100;

function assertFew(name: string, values: readonly unknown[] = []): void {
  if (values.length > MAX_VALUES) {
    throw invalidParameter(`${name} has more than ${String(MAX_VALUES)} values`);
  }
}

const DIGITS = /^\d{1,10}$/;

/**
 * The filters of a pair of parameters such as `assignee_id` and `assignee_username`.
 * @throws DomainError invalid parameter
 */
export function toPersonFilters(
  name: 'assignee' | 'reviewer',
  id: string | undefined,
  usernames: readonly string[] = [],
): PersonFilter[] | undefined {
  if (id === undefined) {
    return usernames.length === 0 ? undefined : usernames.map((username) => ({ username }));
  }
  if (usernames.length > 0) {
    throw invalidParameter(`${name}_id, ${name}_username are mutually exclusive`);
  }
  if (id === '0') return [null];
  return [toPersonFilter(`${name}_id`, id)];
}

/**
 * The filters of `approved_by_ids` and `approved_by_usernames`: all users have to have approved.
 * @throws DomainError invalid parameter
 */
export function toApproverFilters(
  ids: readonly string[] = [],
  usernames: readonly string[] = [],
): PersonFilter[] | undefined {
  assertFew('approved_by_ids', ids);
  assertFew('approved_by_usernames', usernames);
  if (ids.length > 0 && usernames.length > 0) {
    throw invalidParameter('approved_by_ids, approved_by_usernames are mutually exclusive');
  }
  const filters = [
    ...[...new Set(ids)].map((id) => toPersonFilter('approved_by_ids', id)),
    ...[...new Set(usernames)].map((username) => ({ username })),
  ];
  return filters.length === 0 ? undefined : filters;
}

/** @throws DomainError invalid parameter */
function toPersonFilter(name: string, id: string): PersonFilter {
  if (isAny(id)) return 'any';
  if (id.toLowerCase() === 'none') return null;
  if (!DIGITS.test(id)) throw invalidParameter(`${name} is invalid`);
  return { id: Number(id) > MAX_ID ? UNKNOWN_ID : Number(id) };
}

/** @param callerId null for anonymous callers, who have awarded nothing */
function toReaction(emoji: string | undefined, callerId: number | null): Reaction | undefined {
  if (emoji === undefined) return undefined;
  const userId = callerId ?? UNKNOWN_ID;
  if (isAny(emoji)) return { userId, emoji: 'any' };
  return { userId, emoji: emoji.toLowerCase() === 'none' ? 'none' : { name: emoji } };
}

/**
 * The users of a pair of negated parameters such as `assignee_id` and `assignee_username`.
 * @throws DomainError invalid parameter
 */
export function toNegatedPeople(
  name: 'author' | 'assignee' | 'reviewer',
  id: number | undefined,
  usernames: readonly string[] = [],
): NamedPerson[] | undefined {
  if (id === undefined) {
    assertFew(`not[${name}_username]`, usernames);
    return usernames.length === 0 ? undefined : usernames.map((username) => ({ username }));
  }
  if (usernames.length === 0) return [{ id }];
  throw invalidParameter(`not[${name}_id], not[${name}_username] are mutually exclusive`);
}

/** @throws DomainError invalid parameter */
function toNegatedFilters(
  not: V4NegatedFiltersDto | undefined,
  callerId: number | null,
): NegatedFilters | undefined {
  if (not === undefined) return undefined;
  assertFew('not[iids]', not.iids);
  assertFew('not[labels]', not.labels);
  const { author_username: author } = not;
  const authors = toNegatedPeople('author', not.author_id, author === undefined ? [] : [author]);
  return {
    iids: not.iids,
    labels: not.labels,
    milestone: not.milestone,
    author: authors?.[0],
    assignees: toNegatedPeople('assignee', not.assignee_id, not.assignee_username),
    reaction: toReaction(not.my_reaction_emoji, callerId),
  };
}

function toSearch({ search, searched }: V4ListIssuablesDto): IssuableFilters['search'] {
  if (search === undefined) return undefined;
  const columns = SEARCHED.filter((column) => searched?.includes(column) ?? true);
  const isKnown = searched?.every((name) => SEARCHED.some((column) => column === name)) ?? true;
  if (!isKnown || columns.length === 0) throw invalidParameter('in does not have a valid value');
  return { text: search, columns };
}
