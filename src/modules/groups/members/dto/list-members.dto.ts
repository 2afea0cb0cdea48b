import { PageQuery, StringParam } from '../../../../platform/http/index.js';

/** `GET /projects/:id/members` and `GET /groups/:id/members` (open points 3.5). */
export class ListMembersDto extends PageQuery {
  @StringParam({ blank: 'absent', description: 'Part of a name, user name or e-mail.' })
  query?: string;
}
