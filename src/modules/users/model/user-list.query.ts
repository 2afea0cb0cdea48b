import { containing, MAX_ID, PLANNED } from '../../../platform/database/connections/index.js';
import type { Statements } from '../../../platform/database/index.js';
import { readUserDetails } from './user-details.query.js';
import type { User, UserDetails } from './user.entity.js';

/** Filters of a list of accounts, which all have to match. */
export interface UserFilters {
  /** The whole user name, in any case; overrides all other filters. */
  username?: string | undefined;
  /** Part of the user name or name, and for administrators of the primary e-mail. */
  search?: string | undefined;
  active: boolean;
  blocked: boolean;
  /** For administrators only. */
  external: boolean;
  /** Only accounts with a smaller ID. */
  before?: number | undefined;
  /** For the operator of the instance only. */
  admins?: boolean;
}

/** A part of a filter, which has at most one value. */
interface UserCondition {
  /**
   * @param alias of the table
   * @param parameter for the value
   */
  readonly condition: (alias: string, parameter: string) => string;
  readonly value?: string | number;
}

/** Returns the conditions of filters, which all have to match. */
export function conditionsOf(filters: UserFilters, forAdmin: boolean): UserCondition[] {
  const { username, search, before } = filters;
  if (username !== undefined) {
    return [
      { condition: (user, value) => `lower(${user}.username) = lower(${value})`, value: username },
    ];
  }
  const texts = ['username', 'name', ...(forAdmin ? ['email'] : [])];
  return [
    ...(filters.active ? [{ condition: (user: string) => `${user}.state = 'active'` }] : []),
    ...(filters.blocked ? [{ condition: (user: string) => `${user}.state = 'blocked'` }] : []),
    ...(filters.external && forAdmin ? [{ condition: (user: string) => `${user}.external` }] : []),
    ...(before === undefined
      ? []
      : [{ condition: (user: string, value: string) => `${user}.id < ${value}`, value: before }]),
    ...(search === undefined
      ? []
      : [
          {
            condition: (user: string, value: string) =>
              `(${texts.map((text) => `${user}.${text} ILIKE ${value}`).join(' OR ')})`,
            value: containing(search),
          },
        ]),
  ];
}

/** The columns of an account that its full view shows, by the names of its properties. */
const COLUMNS = {
  id: 'u.id',
  username: 'u.username',
  name: 'u.name',
  email: 'u.email',
  state: 'u.state',
  admin: 'u.admin',
  external: 'u.external',
  ghost: 'u.ghost',
  canCreateGroup: 'u.can_create_group',
  projectsLimit: 'u.projects_limit',
  bio: 'u.bio',
  location: 'u.location',
  messenger: 'u.messenger',
  professionalProfile: 'u.professional_profile',
  microblog: 'u.microblog',
  websiteUrl: 'u.website_url',
  organization: 'u.organization',
  themeId: 'u.theme_id',
  colorSchemeId: 'u.color_scheme_id',
  confirmedAt: 'u.confirmed_at',
  currentSignInAt: 'u.current_sign_in_at',
  lastSignInAt: 'u.last_sign_in_at',
  createdAt: 'u.created_at',
  avatarServiceEnabled: '(SELECT avatar_service_enabled FROM application_settings WHERE id = 1)',
} as const satisfies Partial<Record<keyof User, string>>;

const SELECTED = Object.entries(COLUMNS)
  .map(([property, column]) => `${column} AS "${property}"`)
  .join(', ');

export type ShownUser = Pick<User, keyof typeof COLUMNS>;

export interface ShownUserWithDetails extends UserDetails {
  readonly user: ShownUser;
}

/** Lists the accounts with an ID below `before`, newest first, with the filters of administrators and operators. */
export async function listUsersBefore(
  statements: Statements,
  filters: Omit<UserFilters, 'before'>,
  before = MAX_ID + 1,
  limit: number,
): Promise<ShownUserWithDetails[]> {
  const parameters: unknown[] = [before, limit];
  const conditions = conditionsOf(filters, true).map(({ condition, value }) => {
    const parameter = value === undefined ? '' : `$${String(parameters.push(value))}`;
    return condition('u', parameter);
  });
  if (filters.admins === true) conditions.push('u.admin');
  const users = await statements.rows<ShownUser>(
    `SELECT ${SELECTED} FROM users u
      WHERE ${['u.deleted_at IS NULL AND NOT u.ghost AND u.id < $1::bigint', ...conditions].join(' AND ')}
      ORDER BY u.id DESC LIMIT $2 ${PLANNED}`,
    parameters,
  );
  const details = await readUserDetails(
    statements,
    users.map(({ id }) => id),
  );
  return users.map((user, index) => ({ user, ...(details[index] as UserDetails) }));
}
