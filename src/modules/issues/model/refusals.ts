import { DomainError } from '../../../platform/errors/index.js';

/** Why an issue is not moved. */
export type MoveObstacle =
  /** The caller may not edit issues of both projects, or the issue has moved already. */
  | 'not-permitted'
  | 'same-project'
  /** Its notes are too many, or too long together. */
  | 'too-large';

/** Why two issues are not linked. */
export type LinkObstacle =
  | 'exists'
  /** The caller may not edit issues of both projects. */
  | 'not-permitted'
  | 'same-issue'
  /** One of them has as many links as an issue may have. */
  | 'too-many';

declare module '../../../platform/errors/index.js' {
  interface Refusals {
    issues:
      | { readonly code: 'move-refused'; readonly reason: MoveObstacle }
      | { readonly code: 'link-refused'; readonly reason: LinkObstacle }
      | { readonly code: 'link-not-found' };
  }

  interface Resources {
    issues: 'issue';
  }
}

export const moveRefused = (reason: MoveObstacle): DomainError =>
  new DomainError({ code: 'move-refused', reason });

export const linkRefused = (reason: LinkObstacle): DomainError =>
  new DomainError({ code: 'link-refused', reason });

/** There is no such link of the issue, or the caller may not remove it. */
export const linkNotFound = (): DomainError => new DomainError({ code: 'link-not-found' });
