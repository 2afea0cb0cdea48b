import { DomainError, recordNotFound } from '../../../platform/errors/index.js';
import type { IssuableType } from './issuable.js';

/** What is done to a label. */
export type LabelAction = 'create' | 'update';

/** Why time that was spent is not changed: more is subtracted than there is, or the sum is too long. */
export type SpentTimeProblem = 'below-zero' | 'too-long';

/** Why a thread gets no reply, or no longer text. */
type ThreadProblem =
  /** It has as many notes as it may have. */
  | 'full'
  /** The service wrote its first note. */
  | 'of-service'
  /** Its texts would be too long together. */
  | 'too-long';

/** Why a draft of a note is not stored. */
export type DraftProblem =
  /** It is to resolve a thread, which its author may not, or it replies to none. */
  | 'may-not-resolve'
  /** The discussion that it replies to does not exist, or the service wrote its note. */
  | 'no-thread'
  /** The texts of the author's drafts would be too long together. */
  | 'too-long'
  /** The author has as many drafts on the merge request as they may have. */
  | 'too-many';

interface ThreadRefusal {
  readonly code: 'thread-refused';
  readonly reason: ThreadProblem;
}

declare module '../../../platform/errors/index.js' {
  interface Refusals {
    issuables:
      | { readonly code: 'award-exists' }
      | { readonly code: 'award-of-another' }
      | { readonly code: 'label-name-taken'; readonly action: LabelAction }
      | { readonly code: 'note-body-missing' }
      /** A text consists of quick actions, of which none can be carried out. */
      | { readonly code: 'actions-without-effect' }
      /** It is one of a group already, or its project is in none. */
      | { readonly code: 'promotion-refused' }
      | { readonly code: 'spent-time-refused'; readonly reason: SpentTimeProblem }
      /** The note stands by itself, or the service wrote it. */
      | { readonly code: 'not-resolvable' }
      | ThreadRefusal
      | { readonly code: 'draft-refused'; readonly reason: DraftProblem };
  }

  interface Records {
    issuables:
      'award-emoji' | 'draft-note' | 'issue' | 'merge-request' | 'milestone' | 'note' | 'todo';
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

/** Another label of the project or its group has the name, or one of the group's projects. */
export const labelNameTaken = (action: LabelAction): DomainError =>
  new DomainError({ code: 'label-name-taken', action });

/** The label does not become one of a group. */
export const promotionRefused = (): DomainError => new DomainError({ code: 'promotion-refused' });

export const spentTimeRefused = (reason: SpentTimeProblem): DomainError =>
  new DomainError({ code: 'spent-time-refused', reason });

export const noteBodyMissing = (): DomainError => new DomainError({ code: 'note-body-missing' });

export const actionsWithoutEffect = (): DomainError =>
  new DomainError({ code: 'actions-without-effect' });

export const notResolvable = (): DomainError => new DomainError({ code: 'not-resolvable' });

export const threadRefused = (reason: ThreadProblem): DomainError =>
  new DomainError({ code: 'thread-refused', reason });

export const draftRefused = (reason: DraftProblem): DomainError =>
  new DomainError({ code: 'draft-refused', reason });
