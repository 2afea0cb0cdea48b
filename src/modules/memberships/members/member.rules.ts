import { Level } from '../../authorization/index.js';
import type { User } from '../../users/index.js';
import { unknownAccessLevel } from '../refusals.js';

/** The level of a membership and its end. */
export interface MemberTerms {
  accessLevel: number;
  /** A date, `YYYY-MM-DD`; null: no end. */
  expiresAt: string | null;
}

export interface Membership extends MemberTerms {
  userId: number;
}

/** A membership with its account, whether it is stored or not. */
export interface MemberWithUser extends Membership {
  user: User;
}

/** A membership as it is stored, with its account. */
export interface Member extends MemberWithUser {
  createdAt: Date;
  /** Whether the project lies in the personal namespace of this user; of groups false. */
  isPersonalOwner: boolean;
}

export interface MemberChange {
  accessLevel: number;
  /** Undefined: stays as it is. */
  expiresAt?: string | null | undefined;
}

/** The levels of members of projects. */
export const PROJECT_LEVELS: readonly number[] = [
  Level.GUEST,
  Level.REPORTER,
  Level.DEVELOPER,
  Level.MASTER,
];
/** The levels of members of groups. */
export const GROUP_LEVELS: readonly number[] = [...PROJECT_LEVELS, Level.OWNER];

/** @throws DomainError unknown access level */
export function checkLevel(level: number, known: readonly number[]): void {
  if (!known.includes(level)) throw unknownAccessLevel();
}

/** Returns the terms of a membership after a change. */
export function changedTerms(before: MemberTerms, change: MemberChange): MemberTerms {
  const { accessLevel, expiresAt = before.expiresAt } = change;
  return { accessLevel, expiresAt };
}

/** Whether a change lowers the level or brings the end forward. */
export function isReduction(before: MemberTerms, after: MemberTerms): boolean {
  return after.accessLevel < before.accessLevel || endsEarlier(after.expiresAt, before.expiresAt);
}

function endsEarlier(date: string | null, than: string | null): boolean {
  return date !== null && (than === null || date < than);
}
