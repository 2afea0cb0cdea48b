/** The user summary that other objects embed. */
export class V4UserBasicView {
  id!: number;
  username!: string;
  name!: string;
  /** `active` or `blocked`. */
  state!: string;
  /** Always false: accounts are blocked, never locked. */
  locked!: boolean;
  avatar_url!: string | null;
  web_url!: string;
}

/** An account at an external provider. */
export class V4IdentityView {
  provider!: string;
  extern_uid!: string;
}

/** A single user as everybody sees it. */
export class V4UserProfileView extends V4UserBasicView {
  created_at!: Date;
  bio!: string | null;
  location!: string | null;
  /** Always null: no address is public. */
  public_email!: string | null;
  skype!: string | null;
  linkedin!: string | null;
  twitter!: string | null;
  website_url!: string | null;
  organization!: string | null;
  /** Always null. */
  job_title!: string | null;
  /** Always null. */
  pronouns!: string | null;
  /** Always false. */
  bot!: boolean;
}

/** An account as its owner sees it. */
export class V4UserView extends V4UserProfileView {
  last_sign_in_at!: Date | null;
  confirmed_at!: Date | null;
  /** Always null: only sign-ins are recorded. */
  last_activity_on!: string | null;
  email!: string;
  theme_id!: number;
  color_scheme_id!: number;
  projects_limit!: number;
  current_sign_in_at!: Date | null;
  identities!: V4IdentityView[];
  can_create_group!: boolean;
  can_create_project!: boolean;
  two_factor_enabled!: boolean;
  external!: boolean;
  /** Always false. */
  private_profile!: boolean;
  /** The primary address. */
  commit_email!: string;
}

/** The caller's own account. */
export class V4CurrentUserView extends V4UserView {
  /** Present for administrators. */
  is_admin?: boolean;
}

/** An account as administrators see it. */
export class V4UserForAdminView extends V4UserView {
  is_admin!: boolean;
  /** Of the personal namespace. */
  namespace_id!: number | null;
}
