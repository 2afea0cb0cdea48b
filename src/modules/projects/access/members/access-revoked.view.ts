/**
 * The response to removing a user who is not a member of the project
 * (docs/reference/members.md#delete-projectsidmembersuser_id).
 */
export class AccessRevokedView {
  /** `Access revoked`. */
  message!: string;
  /** The user. */
  id!: number;
}
