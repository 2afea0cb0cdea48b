import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Urls } from '../../../platform/config/index.js';
import type { User } from '../model/user.entity.js';
import type { SummarizedUser } from '../model/user-summary.js';
import type { UserWithDetails } from '../model/users.repository.js';
import type {
  V4CurrentUserView,
  V4UserBasicView,
  V4UserForAdminView,
  V4UserProfileView,
  V4UserView,
} from './user.view.js';

@Injectable()
export class V4UserPresenter {
  constructor(private readonly urls: Urls) {}

  /** Presents a user as other objects embed it. */
  basic(user: SummarizedUser): V4UserBasicView {
    return {
      id: user.id,
      username: user.username,
      name: user.name,
      state: user.state,
      locked: false,
      avatar_url: avatarUrl(user),
      web_url: this.urls.web(user.username),
    };
  }

  /** Presents the fields of a single user for everybody. */
  profile(user: User): V4UserProfileView {
    return {
      ...this.basic(user),
      created_at: user.createdAt,
      bio: user.bio,
      location: user.location,
      public_email: null,
      skype: user.messenger,
      linkedin: user.professionalProfile,
      twitter: user.microblog,
      website_url: user.websiteUrl,
      organization: user.organization,
      job_title: null,
      pronouns: null,
      bot: false,
    };
  }

  /** Presents the caller's own account. */
  current(loaded: UserWithDetails): V4CurrentUserView {
    const view = this.full(loaded);
    return loaded.user.admin ? { ...view, is_admin: true } : view;
  }

  /** Presents an account for administrators. */
  forAdmin(loaded: UserWithDetails): V4UserForAdminView {
    return {
      ...this.full(loaded),
      is_admin: loaded.user.admin,
      namespace_id: loaded.namespaceId,
    };
  }

  private full({ user, personalProjects, identities }: UserWithDetails): V4UserView {
    return {
      ...this.profile(user),
      last_sign_in_at: user.lastSignInAt,
      confirmed_at: user.confirmedAt,
      last_activity_on: null,
      email: user.email,
      theme_id: user.themeId,
      color_scheme_id: user.colorSchemeId,
      projects_limit: user.projectsLimit,
      current_sign_in_at: user.currentSignInAt,
      identities: identities.map(({ provider, externUid }) => ({
        provider,
        extern_uid: externUid,
      })),
      can_create_group: user.canCreateGroup,
      can_create_project: personalProjects < user.projectsLimit,
      two_factor_enabled: false,
      external: user.external,
      private_profile: false,
      commit_email: user.email,
    };
  }
}

function avatarUrl({ avatarServiceEnabled, email, ghost }: SummarizedUser): string | null {
  return avatarServiceEnabled && !ghost ? imageOf(email) : null;
}

/** The image of the avatar service for an e-mail address. @param size in pixels; the image has twice as many */
export const imageOf = (email: string, size = 40): string =>
  `https://secure.gravatar.com/avatar/${hash('md5', email.toLowerCase())}?s=${String(2 * size)}&d=identicon`;
