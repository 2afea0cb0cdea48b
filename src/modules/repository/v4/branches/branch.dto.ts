import { EnumParam, StringParam } from '../../../../platform/http/index.js';
import { V4KeysetQuery } from '../keyset.dto.js';

/** `GET /projects/:id/repository/branches`. */
export class V4ListBranchesDto extends V4KeysetQuery {
  @StringParam({
    blank: 'absent',
    description: 'A part of the name; `^` before it is its beginning, `$` behind it its end.',
  })
  search?: string;

  @EnumParam(['name_asc'], { description: 'The order.' })
  sort?: string;
}

/** `POST /projects/:id/repository/branches`. */
export class V4CreateBranchDto {
  @StringParam({ stringOnly: true, required: true })
  branch!: string;

  @StringParam({
    stringOnly: true,
    required: true,
    description: 'Where it begins: a branch, a tag or a hash.',
  })
  ref!: string;
}
