/** The user summary that other objects embed. */
export class UserSummaryView {
  id!: number;
  name!: string;
  username!: string;
  /** `active` or `blocked`. */
  state!: string;
  avatar_url!: string | null;
  web_url!: string;
}

/** An account at an external provider. */
class IdentityView {
  provider!: string;
  extern_uid!: string;
}

/** A single user as everybody sees it. */
export class UserProfileView extends UserSummaryView {
  created_at!: Date;
  is_admin!: boolean;
  bio!: string | null;
  location!: string | null;
  messenger!: string | null;
  professional_profile!: string | null;
  microblog!: string | null;
  website_url!: string | null;
  organization!: string | null;
  /** Alias of `messenger`, in the `gitlab` profile only. */
  skype?: string | null;
  /** Alias of `professional_profile`, in the `gitlab` profile only. */
  linkedin?: string | null;
  /** Alias of `microblog`, in the `gitlab` profile only. */
  twitter?: string | null;
}

/** An account as its owner and administrators see it. */
export class UserView extends UserProfileView {
  email!: string;
  last_sign_in_at!: Date | null;
  confirmed_at!: Date | null;
  current_sign_in_at!: Date | null;
  theme_id!: number;
  color_scheme_id!: number;
  projects_limit!: number;
  identities!: IdentityView[];
  can_create_group!: boolean;
  can_create_project!: boolean;
  two_factor_enabled!: boolean;
  external!: boolean;
}

/** The caller's own account; with the token when an administrator acts as the account by `sudo`. */
export class CurrentUserView extends UserView {
  private_token?: string;
}

/** The response to signing in: the account with its token. */
export class SessionView extends UserView {
  private_token!: string;
}
