import {
  AtLeastOneOf,
  BooleanParam,
  EnumParam,
  IdListParam,
  IntegerParam,
  PageQuery,
  StringParam,
} from '../../../platform/http/index.js';
import { keysetUnavailable } from '../../../platform/errors/index.js';
import {
  type Page,
  type PageRequest,
  plainRequest,
  readCursor,
  toCursor,
} from '../../../platform/pagination/index.js';
import { VISIBILITIES, type Visibility } from '../../authorization/index.js';
import type { GroupChanges, GroupFilters, GroupOrder } from '../groups.repository.js';
import type { CreateGroupInput } from '../groups.service.js';

/** `GET /groups`. */
export class V4ListGroupsDto extends PageQuery {
  @IdListParam({ description: 'IDs of groups to leave out.' })
  skip_groups?: number[];

  @BooleanParam({
    description:
      'Also public and internal groups, and those of projects the caller is a member of.',
    default: false,
  })
  all_available?: boolean;

  @BooleanParam({ description: 'Only groups that the caller owns.', default: false })
  owned?: boolean;

  @IntegerParam({ description: 'Only groups in which the caller has this level at least.' })
  min_access_level?: number;

  @EnumParam(VISIBILITIES)
  visibility?: Visibility;

  @BooleanParam({ description: 'All groups are top-level ones.', default: false })
  top_level_only?: boolean;

  @StringParam({ blank: 'absent', description: 'What name or path contains.' })
  search?: string;

  @EnumParam(['name', 'path', 'id'], { default: 'name' })
  order_by?: GroupOrder;

  @EnumParam(['asc', 'desc'], { default: 'asc' })
  sort?: 'asc' | 'desc';

  @EnumParam(['legacy', 'keyset'], {
    description: 'Pages by number, which is the default, or behind a name, in the order of names.',
  })
  pagination?: 'legacy' | 'keyset';

  @StringParam({
    blank: 'absent',
    description: 'Of keyset pages: what the link to the page has; not to be made by clients.',
  })
  cursor?: string;
}

const OWNER = 50;

/** @throws DomainError keyset unavailable for another order than that of names; page token unknown */
export function toV4GroupFilters(query: V4ListGroupsDto): GroupFilters {
  const { pagination, order_by: order, cursor } = query;
  const isKeyset = pagination === 'keyset';
  if (isKeyset && (order ?? 'name') !== 'name') throw keysetUnavailable();
  return {
    behind: isKeyset && cursor !== undefined ? readCursor(cursor, { name: '', id: 0 }) : undefined,
    allAvailable: query.all_available ?? false,
    leastLevel: query.owned === true ? OWNER : query.min_access_level,
    visibility: query.visibility,
    skip: query.skip_groups ?? [],
    search: query.search,
    orderBy: order ?? 'name',
    sort: query.sort ?? 'asc',
  };
}

export const toV4GroupsRequest = (query: V4ListGroupsDto): PageRequest =>
  query.pagination === 'keyset' ? { page: 1, perPage: query.perPage } : plainRequest(query);

/** Returns the page with the parameter by which the list goes on, if it has keyset pages. */
export const followedByNames = <T extends { name: string; id: number }>(
  page: Page<T>,
  { pagination }: V4ListGroupsDto,
): Page<T> =>
  pagination === 'keyset'
    ? page.followedBy(({ name, id }) => ({ cursor: toCursor({ name, id }) }))
    : page;

/** The parameters that creating and updating a group share. */
class V4GroupSettingsDto {
  @StringParam({ nullable: true })
  description?: string | null;

  @EnumParam(VISIBILITIES)
  visibility?: Visibility;

  @BooleanParam()
  lfs_enabled?: boolean;

  @BooleanParam()
  request_access_enabled?: boolean;
}

/** `POST /groups`. */
export class V4CreateGroupDto extends V4GroupSettingsDto {
  @StringParam({ required: true })
  name!: string;

  @StringParam({ required: true })
  path!: string;
}

export function toV4CreateGroupInput(body: V4CreateGroupDto): CreateGroupInput {
  return { ...toV4GroupChanges(body), name: body.name, path: body.path };
}

/** `PUT /groups/:id`; at least one parameter is required. */
@AtLeastOneOf()
export class V4UpdateGroupDto extends V4GroupSettingsDto {
  @StringParam()
  name?: string;

  @StringParam()
  path?: string;
}

/** Converts parameters to columns. Absent ones are left out, so that the columns stay as they are. */
export function toV4GroupChanges(body: V4CreateGroupDto | V4UpdateGroupDto): GroupChanges {
  const columns = {
    name: body.name,
    path: body.path,
    // Null clears it.
    description: body.description === null ? '' : body.description,
    visibility: body.visibility,
    lfsEnabled: body.lfs_enabled,
    requestAccessEnabled: body.request_access_enabled,
  };
  return Object.fromEntries(Object.entries(columns).filter(([, value]) => value !== undefined));
}
