import { DomainError } from '../../../platform/errors/index.js';

/** Why an issue is not moved. */
export type MoveObstacle =
  /** The caller may not edit issues of both projects, or the issue has moved already. */
  | 'not-permitted'
  | 'same-project'
  /** Its notes are too many, or too long together. */
  | 'too-large';

declare module '../../../platform/errors/index.js' {
  interface Refusals {
    issues: { readonly code: 'move-refused'; readonly reason: MoveObstacle };
  }

  interface Resources {
    issues: 'issue';
  }
}

export const moveRefused = (reason: MoveObstacle): DomainError =>
  new DomainError({ code: 'move-refused', reason });
