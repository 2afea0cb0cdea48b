import { Injectable } from '@nestjs/common';
import { hash } from 'node:crypto';
import { Config, Urls } from '../../../platform/config/index.js';
import type { User } from '../model/user.entity.js';
import type { UserWithDetails } from '../model/users.repository.js';

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

/** The columns of a user that other objects embed. */
export const SUMMARY_COLUMNS = [
  'id',
  'name',
  'username',
  'state',
  'email',
  'ghost',
  'avatarServiceEnabled',
] as const satisfies readonly (keyof User)[];

export type SummarizedUser = Pick<User, (typeof SUMMARY_COLUMNS)[number]>;

/** Presents a user as other objects embed them. */
export const summarizeUser = (user: SummarizedUser, urls: Urls): UserSummaryView => ({
  id: user.id,
  name: user.name,
  username: user.username,
  state: user.state,
  avatar_url: avatarUrl(user),
  web_url: urls.web(user.username),
});

@Injectable()
export class UserPresenter {
  constructor(
    private readonly urls: Urls,
    private readonly config: Config,
  ) {}

  summary(user: SummarizedUser): UserSummaryView {
    return summarizeUser(user, this.urls);
  }

  /** The fields of a single user for everybody. */
  profile(user: User): UserProfileView {
    return {
      ...this.summary(user),
      created_at: user.createdAt,
      is_admin: user.admin,
      bio: user.bio,
      location: user.location,
      messenger: user.messenger,
      professional_profile: user.professionalProfile,
      microblog: user.microblog,
      website_url: user.websiteUrl,
      organization: user.organization,
      ...this.aliases(user),
    };
  }

  /** All fields, for administrators and the account itself. */
  full({ user, personalProjects, identities }: UserWithDetails): UserView {
    return {
      ...this.profile(user),
      email: user.email,
      last_sign_in_at: user.lastSignInAt,
      confirmed_at: user.confirmedAt,
      current_sign_in_at: user.currentSignInAt,
      theme_id: user.themeId,
      color_scheme_id: user.colorSchemeId,
      projects_limit: user.projectsLimit,
      identities: identities.map(({ provider, externUid }) => ({
        provider,
        extern_uid: externUid,
      })),
      can_create_group: user.canCreateGroup,
      can_create_project: personalProjects < user.projectsLimit,
      two_factor_enabled: false,
      external: user.external,
    };
  }

  /** The older names of docs/reference/conventions.md#renamed-fields. */
  private aliases(user: User): Pick<UserProfileView, 'skype' | 'linkedin' | 'twitter'> {
    if (this.config.http.statusProfile !== 'gitlab') return {};
    return { skype: user.messenger, linkedin: user.professionalProfile, twitter: user.microblog };
  }
}

/** The image of the avatar service for the e-mail address. */
function avatarUrl({ avatarServiceEnabled, email, ghost }: SummarizedUser): string | null {
  if (!avatarServiceEnabled || ghost) return null;
  return `https://secure.gravatar.com/avatar/${hash('md5', email.toLowerCase())}?s=80&d=identicon`;
}
