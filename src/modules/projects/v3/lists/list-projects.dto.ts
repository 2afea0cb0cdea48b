import {
  BooleanParam,
  EnumParam,
  PageQuery,
  StringParam,
} from '../../../../platform/http/index.js';
import type { Visibility } from '../../../authorization/index.js';
import {
  PROJECT_ORDERS,
  type ProjectFilters,
  type ProjectOrder,
} from '../../lists/project-lists.sql.js';

/** The parameters of all lists of projects (docs/reference/projects.md#lists). */
export class ListProjectsDto extends PageQuery {
  @BooleanParam({ description: 'True lists archived projects only; else they are left out.' })
  archived?: boolean;

  @EnumParam(['public', 'internal', 'private'])
  visibility?: Visibility;

  @EnumParam(PROJECT_ORDERS, { default: 'created_at' })
  order_by?: ProjectOrder;

  @EnumParam(['asc', 'desc'], { default: 'desc' })
  sort?: 'asc' | 'desc';

  @StringParam({ description: 'What name, path, description or namespace name contains.' })
  search?: string;
}

/** The parameters of lists with a short form. */
export class ListSimpleProjectsDto extends ListProjectsDto {
  @BooleanParam({ description: 'Only ID, addresses, names and paths.', default: false })
  simple?: boolean;
}

/** `GET /projects/search/:query`. */
export class SearchProjectsDto extends PageQuery {
  @EnumParam(['id', 'name', 'created_at', 'last_activity_at'], { default: 'created_at' })
  order_by?: 'id' | 'name' | 'created_at' | 'last_activity_at';

  @EnumParam(['asc', 'desc'], { default: 'desc' })
  sort?: 'asc' | 'desc';
}

/** Converts parameters to filters. Without `archived`, archived projects are left out. */
export function toProjectFilters(query: ListProjectsDto): ProjectFilters {
  return {
    archived: query.archived ?? false,
    visibility: query.visibility,
    search: query.search,
    orderBy: query.order_by,
    sort: query.sort,
  };
}
