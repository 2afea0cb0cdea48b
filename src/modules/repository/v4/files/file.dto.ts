import { looksLikeHash, type Oid } from '../../../../git/index.js';
import { invalidParameter, notFound } from '../../../../platform/errors/index.js';
import {
  BooleanParam,
  EnumParam,
  IntegerParam,
  ObjectParam,
  StringParam,
} from '../../../../platform/http/index.js';
import type { LineRange } from '../../../../git/index.js';
import { CONTENT_BODY } from '../../../../platform/limits/index.js';
import type { ContentEncoding } from '../../commits/file-actions.js';
import type { FileChange } from '../../files/files.service.js';
import { toV4NewCommit, V4NewCommitDto } from '../commits/commit.dto.js';
import { V4KeysetQuery } from '../keyset.dto.js';

/** `GET /projects/:id/repository/files/:file_path`. */
export class V4ReadFileDto {
  @StringParam({
    required: true,
    blank: 'refused',
    description: 'A revision; `HEAD` is the default branch.',
  })
  ref!: string;
}

/** The lines of a blame. */
class V4LineRangeDto {
  @IntegerParam({ required: true, min: 1, description: 'The first line, from 1.' })
  start!: number;

  @IntegerParam({ required: true, min: 1, description: 'The last line.' })
  end!: number;
}

/** `GET /projects/:id/repository/files/:file_path/blame`. */
export class V4BlameFileDto extends V4ReadFileDto {
  @ObjectParam(V4LineRangeDto, {
    description: 'Only these lines, from `range[start]` to `range[end]`.',
  })
  range?: V4LineRangeDto;
}

/** @throws DomainError for a range that ends before it starts */
export function toLineRange({ range }: V4BlameFileDto): LineRange | undefined {
  if (range === undefined) return undefined;
  if (range.start > range.end) {
    throw invalidParameter('range[start] must be less than or equal to range[end]');
  }
  return { first: range.start, last: range.end };
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

/**
 * The hash of a blob: the whole of it, since its first digits would find blobs that the client does not know.
 * @throws DomainError not found
 */
export function toBlobId(given: string): Oid {
  if (!looksLikeHash(given)) throw notFound('blob');
  return given.toLowerCase();
}

export function toV4FileChange(filePath: string, body: V4DeleteFileDto): FileChange {
  return { ...toV4NewCommit(body), path: toFilePath(filePath), lastCommit: body.last_commit_id };
}

/** `GET /projects/:id/repository/tree`. */
export class V4ListTreeDto extends V4KeysetQuery {
  @StringParam({ blank: 'absent', description: 'A revision; the default branch if absent.' })
  ref?: string;

  @StringParam({ blank: 'absent', description: 'A folder; the uppermost if absent.' })
  path?: string;

  @BooleanParam({ description: 'Whether to list what is in its folders too.', default: false })
  recursive: boolean = false;
}

/** `GET /projects/:id/repository/archive`. */
export class V4ReadArchiveDto {
  @StringParam({ blank: 'absent', description: 'A revision; the default branch if absent.' })
  sha?: string;
}
