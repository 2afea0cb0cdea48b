import { PageQuery, StringParam } from '../../../platform/http/index.js';

/** `GET /namespaces` (open points 3.7). */
export class ListNamespacesDto extends PageQuery {
  @StringParam({ description: 'What name or path contains.' })
  search?: string;
}
