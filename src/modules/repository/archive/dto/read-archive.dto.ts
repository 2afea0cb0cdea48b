import { StringParam } from '../../../../platform/http/index.js';

/** `GET /projects/:id/repository/archive`. */
export class ReadArchiveDto {
  @StringParam({
    blank: 'absent',
    description: 'Branch, tag or hash; the default branch if absent.',
  })
  sha?: string;
}
