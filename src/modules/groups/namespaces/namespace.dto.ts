import { PageQuery, StringParam } from '../../../platform/http/index.js';

/** `GET /namespaces`. */
export class ListNamespacesDto extends PageQuery {
  @StringParam({ description: 'What name or path contains.' })
  search?: string;
}
