import type { IssuableType } from './issuable.js';

// Who is among the assignees or reviewers of a row, or has approved it, in SQL.

/** The lists of users that rows have. */
export type PeopleColumn = 'assignee_ids' | 'reviewer_ids' | 'approved_by_ids';

/** The lists that rows of a kind have of users who take part. */
export const peopleColumns = (type: IssuableType): readonly PeopleColumn[] =>
  type === 'Issue' ? ['assignee_ids'] : ['assignee_ids', 'reviewer_ids'];

/**
 * Whether a user is in a list of a row, for rows that are found otherwise.
 * @param target alias of the table
 * @param user column, parameter or expression that holds a user's ID; null is in no list
 */
export const isAmong = (target: string, column: PeopleColumn, user: string): string =>
  `${user} = ANY(${target}.${column})`;

/** The same, in the words of the indexes, which find the rows of a user by it. */
export const hasAmong = (target: string, column: PeopleColumn, user: string): string =>
  `(${target}.${column} <> '{}' AND ${target}.${column} @> ARRAY[${user}]::int[])`;
