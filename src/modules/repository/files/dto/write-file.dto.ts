import { EnumParam, StringParam } from '../../../../platform/http/index.js';
import { MAX_COMMIT_MESSAGE } from '../../../../platform/limits/index.js';
import type { ContentEncoding } from '../../writes/file-action.js';
import type { FileTerms } from '../file-writes.js';

const MAX_IDENTITY = 255;

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
  @StringParam({ required: true })
  content!: string;

  @EnumParam(['text', 'base64'], { description: 'How `content` is written.', default: 'text' })
  encoding: ContentEncoding = 'text';
}

export function toFileTerms(body: DeleteFileDto): FileTerms {
  return {
    path: body.file_path,
    branch: body.branch_name,
    message: body.commit_message,
    author: { name: body.author_name, email: body.author_email },
  };
}
