import { unprocessable } from '../../../platform/errors/index.js';
import { Level } from '../../access/index.js';
import type { User } from '../../users/index.js';

/** What a membership gives, and until when. */
export interface MemberTerms {
  accessLevel: number;
  /** A day, `YYYY-MM-DD`; null: it lasts. */
  expiresAt: string | null;
}

export interface Membership extends MemberTerms {
  userId: number;
}

/** A membership with the account that holds it. */
export interface Member extends Membership {
  user: User;
}

export interface MemberChange {
  accessLevel: number;
  /** Undefined: stays as it is. */
  expiresAt?: string | null | undefined;
}

/** The levels that members of projects and groups may have (open points 2.1). */
export const PROJECT_LEVELS: readonly number[] = [
  Level.GUEST,
  Level.REPORTER,
  Level.DEVELOPER,
  Level.MASTER,
];
export const GROUP_LEVELS: readonly number[] = [...PROJECT_LEVELS, Level.OWNER];

/** @throws DomainError unprocessable (422) */
export function checkLevel(level: number, known: readonly number[]): void {
  if (!known.includes(level)) throw unprocessable({ message: 'Access level is not known' });
}

/** What a membership gives after a change. */
export function changedTerms(before: MemberTerms, change: MemberChange): MemberTerms {
  const { accessLevel, expiresAt = before.expiresAt } = change;
  return { accessLevel, expiresAt };
}

/** Whether a change takes something away: a lower level, or an earlier end. */
export function isReduction(before: MemberTerms, after: MemberTerms): boolean {
  return after.accessLevel < before.accessLevel || endsEarlier(after.expiresAt, before.expiresAt);
}

function endsEarlier(day: string | null, than: string | null): boolean {
  return day !== null && (than === null || day < than);
}
