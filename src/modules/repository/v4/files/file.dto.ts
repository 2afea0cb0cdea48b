import { invalidParameter } from '../../../../platform/errors/index.js';
import {
  BooleanParam,
  EnumParam,
  PageQuery,
  StringParam,
} from '../../../../platform/http/index.js';
import { CONTENT_BODY } from '../../../../platform/limits/index.js';
import type { ContentEncoding } from '../../commits/file-actions.js';
import type { FileChange } from '../../files/files.service.js';
import { toV4NewCommit, V4NewCommitDto } from '../commits/commit.dto.js';

/** `GET /projects/:id/repository/files/:file_path`. */
export class V4ReadFileDto {
  @StringParam({
    required: true,
    blank: 'refused',
    description: 'A revision; `HEAD` is the default branch.',
  })
  ref!: string;
}

/** `GET /projects/:id/repository/files/:file_path/raw`. */
export class V4DownloadFileDto {
  @StringParam({ blank: 'absent', description: 'A revision; the default branch if absent.' })
  ref?: string;
}

/** `DELETE /projects/:id/repository/files/:file_path`. */
export class V4DeleteFileDto extends V4NewCommitDto {
  @StringParam({
    blank: 'absent',
    description:
      'The newest commit that changed the file; the change is refused when it is another.',
  })
  last_commit_id?: string;
}

/** `POST` and `PUT /projects/:id/repository/files/:file_path`. */
export class V4WriteFileDto extends V4DeleteFileDto {
  @StringParam({ required: true, maxLength: CONTENT_BODY.bytes })
  content!: string;

  @EnumParam(['text', 'base64'], { description: 'How `content` is written.', default: 'text' })
  encoding: ContentEncoding = 'text';

  @BooleanParam({ description: 'Whether the file can be executed.' })
  execute_filemode?: boolean;
}

/**
 * A path of a file as it stands in the path of a request.
 * @throws DomainError for an absolute path, and for one that leaves its folder
 */
export function toFilePath(given: string): string {
  if (given.startsWith('/') || given.split('/').includes('..')) {
    throw invalidParameter('file_path should be a valid file path');
  }
  return given;
}

export function toV4FileChange(filePath: string, body: V4DeleteFileDto): FileChange {
  return { ...toV4NewCommit(body), path: toFilePath(filePath), lastCommit: body.last_commit_id };
}

/** `GET /projects/:id/repository/tree`. */
export class V4ListTreeDto extends PageQuery {
  @StringParam({ blank: 'absent', description: 'A revision; the default branch if absent.' })
  ref?: string;

  @StringParam({ blank: 'absent', description: 'A folder; the uppermost if absent.' })
  path?: string;

  @BooleanParam({ description: 'Whether to list what is in its folders too.', default: false })
  recursive: boolean = false;

  @EnumParam(['legacy', 'keyset'], { description: 'Both answer pages by number.' })
  pagination?: string;
}

/** `GET /projects/:id/repository/archive`. */
export class V4ReadArchiveDto {
  @StringParam({ blank: 'absent', description: 'A revision; the default branch if absent.' })
  sha?: string;
}
