import { BooleanParam, PageQuery, StringParam } from '../../../../platform/http/index.js';

/** `GET /projects/:id/repository/commits/:sha/statuses`. */
export class ListStatusesDto extends PageQuery {
  @StringParam({ blank: 'absent', description: 'Only those made for this branch or tag.' })
  ref?: string;

  @StringParam({ blank: 'absent', description: 'All statuses are of the stage `external`.' })
  stage?: string;

  @StringParam({ blank: 'absent', description: 'Only those of this name.' })
  name?: string;

  @BooleanParam({ description: 'Not only the latest of each ref and name.', default: false })
  all: boolean = false;
}
