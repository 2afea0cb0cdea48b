import { PageQuery, StringParam } from '../../../../platform/http/index.js';

/** `GET /projects/:id/users`. */
export class ListProjectUsersDto extends PageQuery {
  @StringParam({ blank: 'absent', description: 'Part of a name, user name or e-mail.' })
  search?: string;
}
