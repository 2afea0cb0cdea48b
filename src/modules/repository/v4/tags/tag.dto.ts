import { EnumParam, StringParam } from '../../../../platform/http/index.js';
import { MAX_COMMIT_MESSAGE } from '../../../../platform/limits/index.js';
import type { TagQuery } from '../../tags/tags.service.js';
import { V4KeysetQuery } from '../keyset.dto.js';

const MAX_DESCRIPTION = 1024 * 1024;

/** `GET /projects/:id/repository/tags`. */
export class V4ListTagsDto extends V4KeysetQuery {
  @EnumParam(['name', 'updated', 'version'], { description: 'The order.', default: 'updated' })
  order_by: TagQuery['order'] = 'updated';

  @EnumParam(['asc', 'desc'], { description: 'Its direction.', default: 'desc' })
  sort: 'asc' | 'desc' = 'desc';

  @StringParam({
    blank: 'absent',
    description: 'A part of the name; `^` before it is its beginning, `$` behind it its end.',
  })
  search?: string;
}

/** `POST /projects/:id/repository/tags`. */
export class V4CreateTagDto {
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
    description: 'The release notes, as clients of older versions send them.',
  })
  release_description?: string;
}
