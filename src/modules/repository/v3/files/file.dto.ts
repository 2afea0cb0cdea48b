import {
  BooleanParam,
  EnumParam,
  PageQuery,
  StringParam,
} from '../../../../platform/http/index.js';
import { CONTENT_BODY, MAX_COMMIT_MESSAGE } from '../../../../platform/limits/index.js';
import { MAX_IDENTITY } from '../commits/commit.dto.js';
import type { ContentEncoding } from '../../commits/file-actions.js';
import type { FileChange } from '../../files/files.service.js';

/** `GET /projects/:id/repository/files`. */
export class ReadFileDto {
  @StringParam({ required: true, description: 'Path of the file.' })
  file_path!: string;

  @StringParam({ required: true, description: 'A revision.' })
  ref!: string;
}

/** `DELETE /projects/:id/repository/files`. */
export class DeleteFileDto {
  @StringParam({ required: true, description: 'The whole path.' })
  file_path!: string;

  @StringParam({ stringOnly: true, required: true })
  branch_name!: string;

  @StringParam({
    stringOnly: true,
    required: true,
    blank: 'refused',
    maxLength: MAX_COMMIT_MESSAGE,
  })
  commit_message!: string;

  @StringParam({ maxLength: MAX_IDENTITY, description: "The caller's when absent." })
  author_email?: string;

  @StringParam({ maxLength: MAX_IDENTITY, description: "The caller's when absent." })
  author_name?: string;
}

/** `POST` and `PUT /projects/:id/repository/files`. */
export class WriteFileDto extends DeleteFileDto {
  @StringParam({ required: true, maxLength: CONTENT_BODY.bytes })
  content!: string;

  @EnumParam(['text', 'base64'], { description: 'How `content` is written.', default: 'text' })
  encoding: ContentEncoding = 'text';
}

export function toFileChange(body: DeleteFileDto): FileChange {
  return {
    path: body.file_path,
    branch: body.branch_name,
    message: body.commit_message,
    author: { name: body.author_name, email: body.author_email },
  };
}

/** `GET /projects/:id/repository/blobs/:sha`. */
export class ReadBlobDto {
  @StringParam({ required: true, description: 'Path of the file.' })
  filepath!: string;
}

/** `GET /projects/:id/repository/tree`. */
export class ListTreeDto extends PageQuery {
  @StringParam({
    blank: 'absent',
    description: 'A revision; the default branch if absent.',
  })
  ref_name?: string;

  @StringParam({ blank: 'absent', description: 'A folder; the uppermost if absent.' })
  path?: string;

  @BooleanParam({ description: 'Whether to list what is in its folders too.' })
  recursive?: boolean;
}

/** `GET /projects/:id/repository/archive`. */
export class ReadArchiveDto {
  @StringParam({
    blank: 'absent',
    description: 'A revision; the default branch if absent.',
  })
  sha?: string;
}
