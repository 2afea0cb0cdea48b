import { DomainError } from '../../platform/errors/index.js';

/** Why a project is not shared with a group. */
export type ShareProblem = 'exists' | 'locked' | 'own-group';

declare module '../../platform/errors/index.js' {
  interface Refusals {
    memberships:
      | { readonly code: 'member-exists' }
      | { readonly code: 'member-missing'; readonly userId: number }
      | { readonly code: 'share-refused'; readonly reason: ShareProblem }
      | { readonly code: 'too-many-shares'; readonly limit: number }
      | { readonly code: 'unknown-access-level' };
  }

  interface Records {
    memberships: 'member';
  }

  interface Resources {
    memberships: 'group-link';
  }
}

/** The user is a member already. */
export const memberExists = (): DomainError => new DomainError({ code: 'member-exists' });

export const memberMissing = (userId: number): DomainError =>
  new DomainError({ code: 'member-missing', userId });

export const shareRefused = (reason: ShareProblem): DomainError =>
  new DomainError({ code: 'share-refused', reason });

export const unknownAccessLevel = (): DomainError =>
  new DomainError({ code: 'unknown-access-level' });
