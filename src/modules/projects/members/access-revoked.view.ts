/**
 * The answer to removing somebody from a project who is no member of it
 * (docs/reference/members.md#delete-projectsidmembersuser_id).
 */
export class AccessRevokedView {
  /** `Access revoked`. */
  message!: string;
  /** The user. */
  id!: number;
}
