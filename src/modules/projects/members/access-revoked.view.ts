/** The answer to removing somebody from a project who is no member of it (open points 3.5). */
export class AccessRevokedView {
  /** `Access revoked`. */
  message!: string;
  /** The user. */
  id!: number;
}
