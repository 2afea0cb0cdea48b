import type { ProjectAccess } from './project-access.js';

/** An account as far as this room needs to know it; the users' room hands out its own records. */
export interface Account {
  id: number;
  username: string;
  state: string;
  admin: boolean;
  external: boolean;
}

/** Who calls, and how they stand on the project that they call about. */
export interface CallerOnProject {
  /** Null is anonymous. */
  caller: Account | null;
  /** Null when there is no such project. */
  access: ProjectAccess | null;
}

/**
 * Finds the accounts behind credentials. The users' room, which lies above this one, provides it:
 * so every room from the users' up can declare abilities.
 */
export abstract class Callers {
  /** The active account of a private token. */
  abstract findByToken(token: string): Promise<Account | null>;

  /** The same together with the account's standing on a project, by one statement for both. */
  abstract findByTokenOnProject(token: string, projectId: number): Promise<CallerOnProject>;

  /** The account of a numeric ID or user name, in whatever state. */
  abstract findByIdOrUsername(idOrUsername: string): Promise<Account | null>;
}
