import {
  AtLeastOneOf,
  BooleanParam,
  EnumParam,
  IdListParam,
  PageQuery,
  StringParam,
} from '../../../platform/http/index.js';
import { readVisibility, VISIBILITY_LEVELS } from '../../authorization/v3/index.js';
import type { GroupChanges, GroupFilters } from '../groups.repository.js';
import type { CreateGroupInput } from '../groups.service.js';

/** `GET /groups`. */
export class ListGroupsDto extends PageQuery {
  @IdListParam({ description: 'IDs of groups to leave out.' })
  skip_groups?: number[];

  @BooleanParam({
    description:
      'Also public and internal groups, and those of projects the caller is a member of.',
    default: false,
  })
  all_available?: boolean;

  @StringParam({ description: 'What name or path contains.' })
  search?: string;

  @EnumParam(['name', 'path'], { default: 'name' })
  order_by?: 'name' | 'path';

  @EnumParam(['asc', 'desc'], { default: 'asc' })
  sort?: 'asc' | 'desc';
}

export function toGroupFilters(query: ListGroupsDto): GroupFilters {
  return {
    allAvailable: query.all_available ?? false,
    skip: query.skip_groups ?? [],
    search: query.search,
    orderBy: query.order_by ?? 'name',
    sort: query.sort ?? 'asc',
  };
}

/** `POST /groups`. */
export class CreateGroupDto {
  @StringParam({ required: true })
  name!: string;

  @StringParam({ required: true })
  path!: string;

  @StringParam()
  description?: string;

  @EnumParam(VISIBILITY_LEVELS, { description: '0 private, 10 internal, 20 public.' })
  visibility_level?: number;

  @BooleanParam()
  lfs_enabled?: boolean;

  @BooleanParam()
  request_access_enabled?: boolean;
}

export function toCreateGroupInput(body: CreateGroupDto): CreateGroupInput {
  return { name: body.name, path: body.path, ...toGroupChanges(body) };
}

/** `PUT /groups/:id`; at least one parameter is required. */
@AtLeastOneOf()
export class UpdateGroupDto {
  @StringParam()
  name?: string;

  @StringParam()
  path?: string;

  @StringParam({ nullable: true })
  description?: string | null;

  @EnumParam(VISIBILITY_LEVELS, { description: '0 private, 10 internal, 20 public.' })
  visibility_level?: number;

  @BooleanParam()
  lfs_enabled?: boolean;

  @BooleanParam()
  request_access_enabled?: boolean;
}

/** The parameters that creating and updating a group share. */
interface GroupParameters {
  name?: string;
  path?: string;
  /** Null clears it. */
  description?: string | null;
  visibility_level?: number;
  lfs_enabled?: boolean;
  request_access_enabled?: boolean;
}

/** Converts parameters to columns. Absent ones are left out, so that the columns stay as they are. */
export function toGroupChanges(body: GroupParameters): GroupChanges {
  const visibility = readVisibility(body.visibility_level);
  return {
    ...(body.name === undefined ? {} : { name: body.name }),
    ...(body.path === undefined ? {} : { path: body.path }),
    ...(body.description === undefined ? {} : { description: body.description ?? '' }),
    ...(visibility === undefined ? {} : { visibility }),
    ...(body.lfs_enabled === undefined ? {} : { lfsEnabled: body.lfs_enabled }),
    ...(body.request_access_enabled === undefined
      ? {}
      : { requestAccessEnabled: body.request_access_enabled }),
  };
}
