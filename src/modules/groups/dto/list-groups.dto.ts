import {
  BooleanParam,
  EnumParam,
  IdListParam,
  PageQuery,
  StringParam,
} from '../../../platform/http/index.js';
import type { GroupFilters } from '../groups.repository.js';

/** `GET /groups` (specification 4.3). */
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
