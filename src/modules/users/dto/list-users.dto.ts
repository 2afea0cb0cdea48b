import { PageQuery, StringParam } from '../../../platform/http/index.js';
import type { UserFilters } from '../user-list.repository.js';

/** `GET /users` (specification 4.8, open points 3.17). */
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
