/** An account as far as this room needs to know it; the users' room hands out its own records. */
export interface Account {
  id: number;
  username: string;
  state: string;
  admin: boolean;
  external: boolean;
}

/**
 * Finds the accounts behind credentials. The users' room, which lies above this one, provides it:
 * so every room from the users' up can declare abilities.
 */
export abstract class Callers {
  /** The active account of a private token. */
  abstract byToken(token: string): Promise<Account | null>;

  /** The account of a numeric ID or user name, in whatever state. */
  abstract byIdOrUsername(idOrUsername: string): Promise<Account | null>;
}
