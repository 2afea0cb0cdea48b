import { DomainError, recordNotFound } from '../../../platform/errors/index.js';
import type { IssuableType } from './issuable.js';

/** What is done to a label. */
export type LabelAction = 'create' | 'update';

/** Why time that was spent is not changed: more is subtracted than there is, or the sum is too long. */
export type SpentTimeProblem = 'below-zero' | 'too-long';

declare module '../../../platform/errors/index.js' {
  interface Refusals {
    issuables:
      | { readonly code: 'award-exists' }
      | { readonly code: 'award-of-another' }
      | { readonly code: 'label-name-taken'; readonly action: LabelAction }
      | { readonly code: 'note-body-missing' }
      | { readonly code: 'spent-time-refused'; readonly reason: SpentTimeProblem }
      /** The note stands by itself, or the service wrote it. */
      | { readonly code: 'not-resolvable' }
      | { readonly code: 'thread-full'; readonly limit: number };
  }

  interface Records {
    issuables: 'award-emoji' | 'issue' | 'merge-request' | 'milestone' | 'note' | 'todo';
  }

  interface Resources {
    issuables: 'award-emoji' | 'label' | 'notes';
  }

  interface FieldRules {
    issuables: 'after-due-date' | 'not-a-color';
  }
}

export const issuableNotFound = (type: IssuableType): DomainError =>
  recordNotFound(type === 'Issue' ? 'issue' : 'merge-request');

/** The user has awarded the emoji already. */
export const awardExists = (): DomainError => new DomainError({ code: 'award-exists' });

/** Another user has given the award. */
export const awardOfAnother = (): DomainError => new DomainError({ code: 'award-of-another' });

/** Another label of the project has the name. */
export const labelNameTaken = (action: LabelAction): DomainError =>
  new DomainError({ code: 'label-name-taken', action });

export const spentTimeRefused = (reason: SpentTimeProblem): DomainError =>
  new DomainError({ code: 'spent-time-refused', reason });

export const noteBodyMissing = (): DomainError => new DomainError({ code: 'note-body-missing' });

export const notResolvable = (): DomainError => new DomainError({ code: 'not-resolvable' });

/** A thread has as many notes as it may have. */
export const threadFull = (limit: number): DomainError =>
  new DomainError({ code: 'thread-full', limit });
