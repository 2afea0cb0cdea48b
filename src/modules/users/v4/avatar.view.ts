/** The image for an e-mail address. */
export class V4AvatarView {
  /** Null where the instance shows no avatars. */
  avatar_url!: string | null;
}
