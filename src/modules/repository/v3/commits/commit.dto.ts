import {
  EnumParam,
  ObjectListParam,
  PageNumberParam,
  PageQuery,
  type StatusProfile,
  StringParam,
  timestampFormat,
  TimestampParam,
} from '../../../../platform/http/index.js';
import type { PageRequest } from '../../../../platform/pagination/index.js';
import { CONTENT_BODY, MAX_COMMIT_MESSAGE } from '../../../../platform/limits/index.js';
import type { NewCommit } from '../../commits/commit-writer.js';
import type { ContentEncoding, FileAction } from '../../commits/file-actions.js';

/** The greatest length of an author's name or e-mail address. */
export const MAX_IDENTITY = 255;

/** `GET /projects/:id/repository/commits`. */
export class ListCommitsDto extends PageQuery {
  @PageNumberParam(0, 'Number of the page: from 0 in the profile `gitlab`, else from 1.')
  override page: number = 0;

  @StringParam({
    blank: 'absent',
    description: 'A revision; the default branch if absent.',
  })
  ref_name?: string;

  @TimestampParam({ description: 'Committed at this moment or later.', refuse: timestampFormat })
  since?: Date;

  @TimestampParam({ description: 'Committed at this moment or earlier.', refuse: timestampFormat })
  until?: Date;

  @StringParam({ blank: 'absent', description: 'Only commits that change this file or folder.' })
  path?: string;

  /**
   * Returns the requested page. Clients of the profile `gitlab` count the pages of this list from 0, and
   * request page 1 after the first (docs/reference/commits.md#get-projectsidrepositorycommits).
   */
  pageRequest(profile: StatusProfile): PageRequest {
    const { page, perPage } = this;
    return profile === 'gitlab'
      ? { page, perPage, firstPage: 0 }
      : { page: Math.max(page, 1), perPage };
  }
}

/** One element of `actions[]` (docs/reference/commits.md#post-projectsidrepositorycommits). */
class FileActionDto {
  @StringParam({ required: true, description: '`create`, `update`, `delete` or `move`.' })
  action!: string;

  @StringParam({ description: 'The whole path.' })
  file_path?: string;

  @StringParam({ description: 'Of `move`: where the file was.' })
  previous_path?: string;

  @StringParam({
    maxLength: CONTENT_BODY.bytes,
    description: 'Of `create` and `update`; of `move` unless it stays.',
  })
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

export function toNewCommit(body: CreateCommitDto): NewCommit {
  return {
    branch: body.branch_name,
    message: body.commit_message,
    author: { name: body.author_name, email: body.author_email },
  };
}

export function toFileActions({ actions }: CreateCommitDto): FileAction[] {
  return actions.map((item) => ({
    action: item.action,
    path: item.file_path,
    previousPath: item.previous_path,
    content: item.content,
    encoding: item.encoding,
  }));
}

/** `POST /projects/:id/repository/commits/:sha/cherry_pick`. */
export class CherryPickDto {
  @StringParam({ stringOnly: true, required: true, description: 'Where to make the change again.' })
  branch!: string;
}
