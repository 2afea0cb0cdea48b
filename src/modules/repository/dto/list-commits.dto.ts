import {
  PageQuery,
  StringParam,
  timestampFormat,
  TimestampParam,
} from '../../../platform/http/index.js';

/** `GET /projects/:id/repository/commits` (specification 4.2, open points 3.11). */
export class ListCommitsDto extends PageQuery {
  @StringParam({
    blank: 'absent',
    description: 'Branch, tag or hash; the default branch if absent.',
  })
  ref_name?: string;

  @TimestampParam({ description: 'Committed at this moment or later.', refuse: timestampFormat })
  since?: Date;

  @TimestampParam({ description: 'Committed at this moment or earlier.', refuse: timestampFormat })
  until?: Date;

  @StringParam({ blank: 'absent', description: 'Only commits that change this file or folder.' })
  path?: string;
}
