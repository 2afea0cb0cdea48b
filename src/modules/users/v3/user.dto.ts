import {
  AllOrNoneOf,
  AtLeastOneOf,
  BooleanParam,
  IntegerParam,
  PageQuery,
  StringParam,
} from '../../../platform/http/index.js';
import type { CreateUserInput, ProfileInput, UpdateUserInput } from '../model/user.rules.js';
import type { UserFilters } from '../model/user-list.query.js';

/** `GET /users`. */
export class ListUsersDto extends PageQuery {
  @StringParam({
    blank: 'absent',
    description: 'Part of the user name or name; for administrators also of the e-mail.',
  })
  search?: string;

  @StringParam({ blank: 'absent', description: 'A whole user name; overrides all other filters.' })
  username?: string;

  @StringParam({ description: '`true` lists active accounts only; anything else is no filter.' })
  active?: string;

  @StringParam({ description: '`true` lists blocked accounts only; anything else is no filter.' })
  blocked?: string;

  @StringParam({ description: '`true` lists external accounts only; for administrators.' })
  external?: string;
}

export function toUserFilters(query: ListUsersDto): UserFilters {
  return {
    username: query.username,
    search: query.search,
    active: query.active === 'true',
    blocked: query.blocked === 'true',
    external: query.external === 'true',
  };
}

/** The parameters that creating and modifying a user share. */
@AllOrNoneOf('extern_uid', 'provider')
class UserProfileDto {
  @StringParam({ nullable: true, aliases: ['skype'] })
  messenger?: string | null;

  @StringParam({ nullable: true, aliases: ['linkedin'] })
  professional_profile?: string | null;

  @StringParam({ nullable: true, aliases: ['twitter'] })
  microblog?: string | null;

  @StringParam({ nullable: true })
  website_url?: string | null;

  @StringParam({ nullable: true })
  organization?: string | null;

  @IntegerParam({ description: "The instance's setting when absent on creation." })
  projects_limit?: number;

  @StringParam({ blank: 'absent', description: 'Who this is at the external `provider`.' })
  extern_uid?: string;

  @StringParam({ blank: 'absent' })
  provider?: string;

  @StringParam({ nullable: true })
  bio?: string | null;

  @StringParam({ nullable: true })
  location?: string | null;

  @BooleanParam()
  admin?: boolean;

  @BooleanParam()
  can_create_group?: boolean;

  @BooleanParam({ description: 'True forces `projects_limit` 0 and `can_create_group` false.' })
  external?: boolean;
}

function toProfileInput(body: UserProfileDto): ProfileInput {
  const { provider, extern_uid: externUid } = body;
  return {
    messenger: body.messenger,
    professionalProfile: body.professional_profile,
    microblog: body.microblog,
    websiteUrl: body.website_url,
    organization: body.organization,
    projectsLimit: body.projects_limit,
    identity:
      provider === undefined || externUid === undefined ? undefined : { provider, externUid },
    bio: body.bio,
    location: body.location,
    admin: body.admin,
    canCreateGroup: body.can_create_group,
    external: body.external,
  };
}

/** `POST /users`. */
export class CreateUserDto extends UserProfileDto {
  @StringParam({ required: true })
  email!: string;

  @StringParam({ required: true })
  password!: string;

  @StringParam({ required: true })
  username!: string;

  @StringParam({ required: true })
  name!: string;

  @BooleanParam({ default: true, description: 'Accounts are confirmed at once, whatever it says.' })
  confirm?: boolean;
}

export function toCreateUserInput(body: CreateUserDto): CreateUserInput {
  const { email, password, username, name } = body;
  return { email, password, username, name, ...toProfileInput(body) };
}

/** `PUT /users/:id`. */
@AtLeastOneOf(
  'email',
  'username',
  'name',
  'password',
  'messenger',
  'professional_profile',
  'microblog',
  'website_url',
  'organization',
  'projects_limit',
  'extern_uid',
  'provider',
  'bio',
  'location',
  'admin',
  'can_create_group',
  'external',
)
export class UpdateUserDto extends UserProfileDto {
  @StringParam()
  email?: string;

  @StringParam()
  username?: string;

  @StringParam()
  name?: string;

  @StringParam()
  password?: string;
}

export function toUpdateUserInput(body: UpdateUserDto): UpdateUserInput {
  const { email, username, name, password } = body;
  return { email, username, name, password, ...toProfileInput(body) };
}
