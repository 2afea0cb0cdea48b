import {
  BooleanParam,
  EnumParam,
  IdParam,
  NumberParam,
  PageQuery,
  StringParam,
} from '../../../../platform/http/index.js';
import { STATUS_STATES, type StatusState } from '../../commits/statuses/status.rules.js';

/** `GET /projects/:id/repository/commits/:sha/statuses`. */
export class V4ListStatusesDto extends PageQuery {
  @StringParam({ blank: 'absent', description: 'Only those made for this branch or tag.' })
  ref?: string;

  @StringParam({ blank: 'absent', description: 'All statuses are of the stage `external`.' })
  stage?: string;

  @StringParam({ blank: 'absent', description: 'Only those of this name.' })
  name?: string;

  @BooleanParam({ description: 'Not only the latest of each ref and name.', default: false })
  all: boolean = false;
}

/** `POST /projects/:id/statuses/:sha`. */
export class V4PostStatusDto {
  @EnumParam(STATUS_STATES, { required: true })
  state!: StatusState;

  @StringParam({
    blank: 'absent',
    stringOnly: true,
    description:
      'Branch or tag; that of `pipeline_id`, or the alphabetically first branch with the commit if absent.',
  })
  ref?: string;

  @StringParam({ blank: 'absent', description: '`default` if absent.' })
  name?: string;

  @StringParam({ blank: 'absent', description: 'Another spelling of `name`, which wins.' })
  context?: string;

  @StringParam({ blank: 'absent', description: 'http or https: where more can be read of it.' })
  target_url?: string;

  @StringParam()
  description?: string;

  @IdParam({ description: 'The pipeline of the commit that it belongs to.' })
  pipeline_id?: number;

  @NumberParam({ min: 0, max: 100, description: 'Percent of the code that tests cover.' })
  coverage?: number;
}
