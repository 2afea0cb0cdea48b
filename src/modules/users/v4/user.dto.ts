import {
  AllOrNoneOf,
  AtLeastOneOf,
  BooleanParam,
  EnumParam,
  IntegerParam,
  PageQuery,
  StringParam,
} from '../../../platform/http/index.js';
import {
  type Page,
  type PageRequest,
  plainRequest,
  readCursor,
  toCursor,
} from '../../../platform/pagination/index.js';
import { randomToken } from '../../../platform/secrets/index.js';
import type { UserFilters } from '../model/user-list.query.js';
import type { CreateUserInput, ProfileInput, UpdateUserInput } from '../model/user.rules.js';

/** `GET /users`. */
export class V4ListUsersDto extends PageQuery {
  @StringParam({ blank: 'absent', description: 'A whole user name; overrides all other filters.' })
  username?: string;

  @StringParam({
    blank: 'absent',
    description: 'Part of the user name or name; for administrators also of the e-mail.',
  })
  search?: string;

  @BooleanParam({ description: 'True lists active accounts only.', default: false })
  active?: boolean;

  @BooleanParam({ description: 'True lists blocked accounts only.', default: false })
  blocked?: boolean;

  @BooleanParam({
    description: 'True lists external accounts only; for administrators.',
    default: false,
  })
  external?: boolean;

  @EnumParam(['legacy', 'keyset'], {
    description: 'Pages by number, which is the default, or behind an ID.',
  })
  pagination?: 'legacy' | 'keyset';

  @StringParam({
    blank: 'absent',
    description: 'Of keyset pages: what the link to the page has; not to be made by clients.',
  })
  cursor?: string;
}

/** @throws DomainError page token unknown */
export function toV4UserFilters(query: V4ListUsersDto): UserFilters {
  const { pagination, cursor } = query;
  const isBehind = pagination === 'keyset' && cursor !== undefined;
  return {
    before: isBehind ? readCursor(cursor, { id: 0 }).id : undefined,
    username: query.username,
    search: query.search,
    active: query.active ?? false,
    blocked: query.blocked ?? false,
    external: query.external ?? false,
  };
}

export const toV4UsersRequest = (query: V4ListUsersDto): PageRequest =>
  query.pagination === 'keyset' ? { page: 1, perPage: query.perPage } : plainRequest(query);

/** Returns the page with the parameter by which the list goes on, if it has keyset pages. @param idOf an item */
export const followedByIds = <T>(
  page: Page<T>,
  { pagination }: V4ListUsersDto,
  idOf: (item: T) => number,
): Page<T> =>
  pagination === 'keyset'
    ? page.followedBy((last) => ({ cursor: toCursor({ id: idOf(last) }) }))
    : page;

/** The parameters that creating and modifying a user share. */
@AllOrNoneOf('extern_uid', 'provider')
class V4UserProfileDto {
  @StringParam({ nullable: true })
  skype?: string | null;

  @StringParam({ nullable: true })
  linkedin?: string | null;

  @StringParam({ nullable: true })
  twitter?: string | null;

  @StringParam({ nullable: true })
  website_url?: string | null;

  @StringParam({ nullable: true })
  organization?: string | null;

  @IntegerParam({ description: "The instance's setting when absent on creation." })
  projects_limit?: number;

  @StringParam({ blank: 'absent', description: 'The ID at the external `provider`.' })
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

function toProfileInput(body: V4UserProfileDto): ProfileInput {
  const { provider, extern_uid: externUid } = body;
  return {
    messenger: body.skype,
    professionalProfile: body.linkedin,
    microblog: body.twitter,
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
@AtLeastOneOf('password', 'reset_password', 'force_random_password')
export class V4CreateUserDto extends V4UserProfileDto {
  @StringParam({ required: true })
  email!: string;

  @StringParam({ blank: 'absent' })
  password?: string;

  @BooleanParam({
    description:
      'Without `password`: a random one is set. No message is sent, since there is no mail.',
  })
  reset_password?: boolean;

  @BooleanParam({ description: 'Without `password`: a random one is set.' })
  force_random_password?: boolean;

  @StringParam({ required: true })
  username!: string;

  @StringParam({ required: true })
  name!: string;

  @BooleanParam({ description: 'Accounts are confirmed at once, whatever it says.' })
  skip_confirmation?: boolean;
}

export function toV4CreateUserInput(body: V4CreateUserDto): CreateUserInput {
  const { email, username, name, password = randomToken() } = body;
  return { email, password, username, name, ...toProfileInput(body) };
}

/** `PUT /users/:id`; at least one parameter is required. */
@AtLeastOneOf()
export class V4UpdateUserDto extends V4UserProfileDto {
  @StringParam()
  email?: string;

  @StringParam()
  username?: string;

  @StringParam()
  name?: string;

  @StringParam()
  password?: string;
}

export function toV4UpdateUserInput(body: V4UpdateUserDto): UpdateUserInput {
  const { email, username, name, password } = body;
  return { email, username, name, password, ...toProfileInput(body) };
}
