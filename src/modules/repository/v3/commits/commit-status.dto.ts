import {
  BooleanParam,
  EnumParam,
  PageQuery,
  StringParam,
} from '../../../../platform/http/index.js';
import type { StatusState } from '../../commits/statuses/status.rules.js';

/** Those that clients may report; `skipped` is reported through other versions only. */
const STATES = [
  'pending',
  'running',
  'success',
  'failed',
  'canceled',
] as const satisfies StatusState[];

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

/** `POST /projects/:id/statuses/:sha`. */
export class PostStatusDto {
  @EnumParam(STATES, { required: true })
  state!: StatusState;

  @StringParam({
    blank: 'absent',
    stringOnly: true,
    description: 'Branch or tag; the alphabetically first branch with the commit if absent.',
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
}
