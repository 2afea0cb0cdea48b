import { keysetUnavailable } from '../../../../platform/errors/index.js';
import {
  BooleanParam,
  EnumParam,
  IdParam,
  IntegerParam,
  PageQuery,
  StringListParam,
  StringParam,
  TimestampParam,
} from '../../../../platform/http/index.js';
import type { Page } from '../../../../platform/pagination/index.js';
import { VISIBILITIES, type Visibility } from '../../../authorization/index.js';
import {
  PROJECT_ORDERS,
  type ProjectFilters,
  type ProjectOrder,
} from '../../lists/project-lists.sql.js';
import type { ProjectSelection } from '../../lists/project-scopes.sql.js';
import { MAX_TOPICS } from '../../model/project.rules.js';
import type { ProjectWithRelations } from '../../model/project-relations.js';

/** The parameters of all lists of projects. */
export class V4ListProjectsDto extends PageQuery {
  @BooleanParam({ description: 'True lists archived projects only, false the others; else both.' })
  archived?: boolean;

  @EnumParam(VISIBILITIES)
  visibility?: Visibility;

  @EnumParam(PROJECT_ORDERS, { description: '`created_at` by default; of keyset pages `id`.' })
  order_by?: ProjectOrder;

  @EnumParam(['asc', 'desc'], { default: 'desc' })
  sort?: 'asc' | 'desc';

  @StringParam({ blank: 'absent', description: 'What name, path or description contains.' })
  search?: string;

  @BooleanParam({ description: 'Whether `search` finds full paths, too.', default: false })
  search_namespaces?: boolean;

  @StringListParam({ description: 'Only projects with all of these topics.' })
  topic?: string[];

  @BooleanParam({ description: 'Only names, addresses and counts.', default: false })
  simple?: boolean;

  @BooleanParam({ description: 'Only projects that the caller is a member of.', default: false })
  membership?: boolean;

  @BooleanParam({
    description: "Only projects in the caller's namespace and in groups that the caller owns.",
    default: false,
  })
  owned?: boolean;

  @BooleanParam({ description: 'Only projects that the caller has starred.', default: false })
  starred?: boolean;

  @IntegerParam({ description: 'Only projects on which the caller has this level at least.' })
  min_access_level?: number;

  @BooleanParam({ description: 'Only projects with issues.', default: false })
  with_issues_enabled?: boolean;

  @BooleanParam({ description: 'Only projects with merge requests.', default: false })
  with_merge_requests_enabled?: boolean;

  @TimestampParam({ description: 'Only projects whose last activity is later.' })
  last_activity_after?: Date;

  @TimestampParam({ description: 'Only projects whose last activity is earlier.' })
  last_activity_before?: Date;
}

/** `GET /projects`. */
export class V4ListAllProjectsDto extends V4ListProjectsDto {
  @IdParam({ description: 'Only projects with a greater ID.' })
  id_after?: number;

  @IdParam({ description: 'Only projects with a smaller ID.' })
  id_before?: number;

  @EnumParam(['keyset'], {
    description: 'Pages that begin behind an ID; the order is that of IDs.',
  })
  pagination?: 'keyset';
}

type ListedBy = V4ListProjectsDto & Partial<V4ListAllProjectsDto>;

/** @throws DomainError keyset unavailable, for keyset pages in another order than that of IDs */
export function toV4ProjectFilters(query: ListedBy): ProjectFilters {
  const { order_by: orderBy, search, pagination } = query;
  if (pagination === 'keyset' && (orderBy ?? 'id') !== 'id') throw keysetUnavailable();
  return {
    archived: query.archived,
    visibility: query.visibility,
    ...(query.search_namespaces === true ? { textOrFullPath: search } : { text: search }),
    topics: toTopics(query.topic),
    idAfter: query.id_after,
    idBefore: query.id_before,
    lastActivityAfter: query.last_activity_after,
    lastActivityBefore: query.last_activity_before,
    ...(query.with_issues_enabled === true ? { withIssues: true } : {}),
    ...(query.with_merge_requests_enabled === true ? { withMergeRequests: true } : {}),
    orderBy: pagination === 'keyset' ? 'id' : orderBy,
    sort: query.sort,
  };
}

/** Of more topics than a project may have, those that follow do not matter: no project has even these. */
function toTopics(names: readonly string[] = []): readonly string[] | undefined {
  const asked = [...new Set(names)].slice(0, MAX_TOPICS + 1);
  return asked.length === 0 ? undefined : asked;
}

export const toV4ProjectSelection = (query: V4ListProjectsDto): ProjectSelection => ({
  isMember: query.membership,
  isOwned: query.owned,
  isStarred: query.starred,
  leastLevel: query.min_access_level,
});

/** Returns the page with the parameter by which the list goes on, if it has keyset pages. */
export function followedByIds(
  page: Page<ProjectWithRelations>,
  { pagination, sort = 'desc' }: V4ListAllProjectsDto,
): Page<ProjectWithRelations> {
  if (pagination === undefined) return page;
  const name = sort === 'asc' ? 'id_after' : 'id_before';
  return page.followedBy(({ project }) => ({ [name]: String(project.id) }));
}
