import { opaqueValue } from '../../../platform/database/index.js';
import { userByUsername } from '../../users/index.js';
import type { IssuableType } from '../model/issuable.js';

/** The rows of a list that conditions filter. */
export interface FilteredRows {
  readonly type: IssuableType;
  /** Alias of the kind's table. */
  readonly alias: string;
  /** Makes a parameter of a value. */
  readonly parameter: (value: unknown) => string;
  /** Of merge requests: the regular expression of titles that mark drafts. */
  readonly draftTitle?: string;
}

/** A user by ID or user name. */
export type NamedPerson = { id: number } | { username: string };

/** Emoji that a user has awarded to rows: one by its name, or any. */
export interface Reaction {
  userId: number;
  emoji: { name: string } | 'any' | 'none';
}

/** Whether a user has awarded an emoji to a row. */
export function reactionCondition(
  { userId, emoji }: Reaction,
  { type, alias, parameter }: FilteredRows,
): string {
  const name = typeof emoji === 'string' ? '' : `AND award.name = ${parameter(emoji.name)}`;
  const awarded = `EXISTS (
    SELECT 1 FROM award_emoji award
     WHERE award.awardable_type = '${type}' AND award.awardable_id = ${alias}.id
       AND award.user_id = ${parameter(userId)} ${name})`;
  return emoji === 'none' ? `(NOT ${awarded})` : awarded;
}

/** The ID of a user as an expression; null for an unknown user name. */
export const personId = (person: NamedPerson, { parameter }: FilteredRows): string =>
  'id' in person
    ? parameter(person.id)
    : `(SELECT account.id FROM ${userByUsername(opaqueValue(parameter(person.username), 'varchar'))} account)`;
