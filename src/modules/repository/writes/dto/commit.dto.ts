import { EnumParam, ObjectListParam, StringParam } from '../../../../platform/http/index.js';
import { MAX_COMMIT_MESSAGE } from '../../../../platform/limits/index.js';
import type { CommitInput } from '../commit-files.js';
import type { ContentEncoding } from '../file-action.js';

const MAX_IDENTITY = 255;

/** One element of `actions[]` (docs/reference/commits.md#post-projectsidrepositorycommits). */
export class FileActionDto {
  @StringParam({ required: true, description: '`create`, `update`, `delete` or `move`.' })
  action!: string;

  @StringParam({ description: 'The whole path.' })
  file_path?: string;

  @StringParam({ description: 'Of `move`: where the file was.' })
  previous_path?: string;

  @StringParam({ description: 'Of `create` and `update`; of `move` unless it stays.' })
  content?: string;

  @EnumParam(['text', 'base64'], { description: 'How `content` is written.', default: 'text' })
  encoding: ContentEncoding = 'text';
}

/** `POST /projects/:id/repository/commits`. */
export class CreateCommitDto {
  @StringParam({ stringOnly: true, required: true })
  branch_name!: string;

  @StringParam({
    stringOnly: true,
    required: true,
    blank: 'refused',
    maxLength: MAX_COMMIT_MESSAGE,
  })
  commit_message!: string;

  @ObjectListParam(FileActionDto, { required: true, description: 'Changes, made in this order.' })
  actions!: FileActionDto[];

  @StringParam({ maxLength: MAX_IDENTITY, description: "The caller's when absent." })
  author_email?: string;

  @StringParam({ maxLength: MAX_IDENTITY, description: "The caller's when absent." })
  author_name?: string;
}

export function toCommitInput(body: CreateCommitDto): CommitInput {
  return {
    branch: body.branch_name,
    message: body.commit_message,
    author: { name: body.author_name, email: body.author_email },
    actions: body.actions.map((item) => ({
      action: item.action,
      path: item.file_path,
      previousPath: item.previous_path,
      content: item.content,
      encoding: item.encoding,
    })),
  };
}

/** `POST /projects/:id/repository/commits/:sha/cherry_pick`. */
export class CherryPickDto {
  @StringParam({ stringOnly: true, required: true, description: 'Where to make the change again.' })
  branch!: string;
}
