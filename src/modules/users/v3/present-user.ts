import { hash } from 'node:crypto';
import type { Config, Urls } from '../../../platform/config/index.js';
import type { ShownUser, ShownUserWithDetails } from '../model/user-list.query.js';
import type { SummarizedUser } from '../model/user-summary.js';
import type { UserProfileView, UserSummaryView, UserView } from './user.view.js';

/** Presents a user as other objects embed them. */
export const summarizeUser = (user: SummarizedUser, urls: Urls): UserSummaryView => ({
  id: user.id,
  name: user.name,
  username: user.username,
  state: user.state,
  avatar_url: avatarUrl(user),
  web_url: urls.web(user.username),
});

/** What the view of an account depends on besides the account. */
export interface UserPresentation {
  readonly urls: Urls;
  readonly config: Config;
}

/** Presents the fields of a single user for everybody. */
export function presentProfile(
  user: ShownUser,
  { urls, config }: UserPresentation,
): UserProfileView {
  return {
    ...summarizeUser(user, urls),
    created_at: user.createdAt,
    is_admin: user.admin,
    bio: user.bio,
    location: user.location,
    messenger: user.messenger,
    professional_profile: user.professionalProfile,
    microblog: user.microblog,
    website_url: user.websiteUrl,
    organization: user.organization,
    ...aliases(user, config),
  };
}

/** Presents all fields, for administrators and the account itself. */
export function presentUser(
  { user, personalProjects, identities }: ShownUserWithDetails,
  presentation: UserPresentation,
): UserView {
  return {
    ...presentProfile(user, presentation),
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
function aliases(
  user: ShownUser,
  { http }: Config,
): Pick<UserProfileView, 'skype' | 'linkedin' | 'twitter'> {
  if (http.statusProfile !== 'gitlab') return {};
  return { skype: user.messenger, linkedin: user.professionalProfile, twitter: user.microblog };
}

/** The image of the avatar service for the e-mail address. */
function avatarUrl({ avatarServiceEnabled, email, ghost }: SummarizedUser): string | null {
  if (!avatarServiceEnabled || ghost) return null;
  return `https://secure.gravatar.com/avatar/${hash('md5', email.toLowerCase())}?s=80&d=identicon`;
}
