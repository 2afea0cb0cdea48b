import { StringParam } from '../../../../platform/http/index.js';
import { MAX_COMMIT_MESSAGE } from '../../../../platform/limits/index.js';

const MAX_DESCRIPTION = 1024 * 1024;

/** `POST /projects/:id/repository/tags`. */
export class CreateTagDto {
  @StringParam({ required: true })
  tag_name!: string;

  @StringParam({
    stringOnly: true,
    required: true,
    description: 'What it marks: a branch, a tag or a hash.',
  })
  ref!: string;

  @StringParam({
    stringOnly: true,
    blank: 'absent',
    maxLength: MAX_COMMIT_MESSAGE,
    description: 'Makes it an annotated tag.',
  })
  message?: string;

  @StringParam({
    blank: 'absent',
    maxLength: MAX_DESCRIPTION,
    description: 'The release notes.',
  })
  release_description?: string;
}

/** `POST` and `PUT /projects/:id/repository/tags/:tag_name/release`. */
export class WriteReleaseDto {
  @StringParam({ required: true, maxLength: MAX_DESCRIPTION })
  description!: string;
}
