/** What may be said of an account on top of who it is (specification 4.8). */
export interface ProfileInput {
  messenger?: string | null | undefined;
  professionalProfile?: string | null | undefined;
  microblog?: string | null | undefined;
  websiteUrl?: string | null | undefined;
  organization?: string | null | undefined;
  bio?: string | null | undefined;
  location?: string | null | undefined;
  /** On creation the instance's setting when absent. */
  projectsLimit?: number | undefined;
  /** The account at an external provider. */
  identity?: { provider: string; externUid: string } | undefined;
  admin?: boolean | undefined;
  canCreateGroup?: boolean | undefined;
  external?: boolean | undefined;
}

export interface CreateUserInput extends ProfileInput {
  username: string;
  name: string;
  email: string;
  password: string;
  /** Made at random when absent. */
  privateToken?: string;
}

/** What is absent stays as it is; null clears a text. */
export interface UpdateUserInput extends ProfileInput {
  username?: string | undefined;
  name?: string | undefined;
  email?: string | undefined;
  password?: string | undefined;
}
