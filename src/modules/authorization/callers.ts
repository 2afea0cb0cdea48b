import type { Account, ProjectAccess } from './effective-access.js';

/** The caller and their access to the project of the path. */
export interface CallerOnProject {
  /** Null is anonymous. */
  caller: Account | null;
  /** Null when there is no such project. */
  access: ProjectAccess | null;
}

interface CallerOptions {
  /** Whether what the full view of the account shows from other tables is read by the same statement. */
  readonly withDetails: boolean;
}

/**
 * Finds the accounts behind credentials. The room `users`, which lies above this one, provides it, so that
 * `users` and the rooms above it can declare abilities; see docs/decisions/0017-users-above-access.md.
 */
export abstract class Callers {
  /** Finds the active account of a private token. */
  abstract findByToken(token: string, options?: CallerOptions): Promise<Account | null>;

  /** Finds the active account of a token and its access to a project, with one statement. */
  abstract findByTokenOnProject(token: string, projectId: number): Promise<CallerOnProject>;

  /** Finds the account of a numeric ID or user name, in any state. */
  abstract findByIdOrUsername(idOrUsername: string): Promise<Account | null>;
}
