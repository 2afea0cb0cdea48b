import { BooleanParam, PageQuery, StringParam } from '../../../../platform/http/index.js';

/** `GET /projects/:id/repository/tree`. */
export class ListTreeDto extends PageQuery {
  @StringParam({
    blank: 'absent',
    description: 'Branch, tag or hash; the default branch if absent.',
  })
  ref_name?: string;

  @StringParam({ blank: 'absent', description: 'A folder; the uppermost if absent.' })
  path?: string;

  @BooleanParam({ description: 'Whether to list what is in its folders too.' })
  recursive?: boolean;
}
