import { invalidParameter } from '../../../../platform/errors/index.js';
import {
  BooleanParam,
  EnumParam,
  ObjectListParam,
  PageQuery,
  StringParam,
  TimestampParam,
} from '../../../../platform/http/index.js';
import { CONTENT_BODY, MAX_COMMIT_MESSAGE } from '../../../../platform/limits/index.js';
import type { Commit } from '../../../../git/index.js';
import type { Application, NewCommit } from '../../commits/commit-writer.js';
import type { CommitFilter, RefKind } from '../../commits/commits.service.js';
import type { ContentEncoding, FileAction } from '../../commits/file-actions.js';
import { titleOf } from '../../shared/commit-text.js';

const MAX_IDENTITY = 255;

/** `GET /projects/:id/repository/commits`. */
export class V4ListCommitsDto extends PageQuery {
  @StringParam({
    blank: 'absent',
    description: 'A revision; the default branch if absent.',
  })
  ref_name?: string;

  @BooleanParam({
    description: 'All commits that branches and tags reach; `ref_name` is ignored.',
    default: false,
  })
  all: boolean = false;

  @TimestampParam({ description: 'Committed at this moment or later.' })
  since?: Date;

  @TimestampParam({ description: 'Committed at this moment or earlier.' })
  until?: Date;

  @StringParam({ blank: 'absent', description: 'Only commits that change this file or folder.' })
  path?: string;

  @StringParam({
    blank: 'absent',
    maxLength: MAX_IDENTITY,
    description: "Only commits with this text in the author's name or address.",
  })
  author?: string;

  @BooleanParam({ description: 'Follows only the first parent of each commit.', default: false })
  first_parent: boolean = false;

  @EnumParam(['default', 'topo'], {
    description: 'By the date of the commit, or no parent before its children.',
    default: 'default',
  })
  order: 'default' | 'topo' = 'default';

  @BooleanParam({ description: 'Whether to count the changed lines.', default: false })
  with_stats: boolean = false;

  @BooleanParam({ description: 'Whether to show the trailers of messages.', default: false })
  trailers: boolean = false;
}

/** @throws DomainError for what no ref can be called */
export function toV4CommitFilter(query: V4ListCommitsDto): CommitFilter {
  const { ref_name: refName, all: allRefs, since, until, path, author } = query;
  if (refName !== undefined && /^-|\s/.test(refName)) {
    throw invalidParameter('ref_name is invalid');
  }
  return {
    ...{ refName, allRefs, since, until, path, author },
    firstParent: query.first_parent,
    byDate: query.order === 'default',
  };
}

/** `GET /projects/:id/repository/commits/:sha/sequence`. */
export class V4CommitSequenceDto {
  @BooleanParam({ description: 'Follows only the first parent of each commit.', default: false })
  first_parent: boolean = false;
}

/** `GET /projects/:id/repository/commits/:sha`. */
export class V4ReadCommitDto {
  @BooleanParam({ description: 'Whether to count changed lines.', default: true })
  stats: boolean = true;
}

const REF_KINDS = { all: ['branch', 'tag'], branch: ['branch'], tag: ['tag'] } as const;

/** `GET /projects/:id/repository/commits/:sha/refs`. */
export class V4ListCommitRefsDto extends PageQuery {
  @EnumParam(['branch', 'tag', 'all'], { description: 'Which refs.', default: 'all' })
  type: keyof typeof REF_KINDS = 'all';
}

export const toRefKinds = ({ type }: V4ListCommitRefsDto): readonly RefKind[] => REF_KINDS[type];

/** What every request for a commit on a branch has. */
export class V4OnBranchDto {
  @StringParam({
    stringOnly: true,
    required: true,
    description: 'The branch that gets the commit.',
  })
  branch!: string;
}

/** What all parameters of a new commit have. */
export class V4NewCommitDto extends V4OnBranchDto {
  @StringParam({
    stringOnly: true,
    required: true,
    blank: 'refused',
    maxLength: MAX_COMMIT_MESSAGE,
  })
  commit_message!: string;

  @StringParam({
    stringOnly: true,
    blank: 'absent',
    description: 'An existing branch that `branch` is made from.',
  })
  start_branch?: string;

  @StringParam({ maxLength: MAX_IDENTITY, description: "The caller's when absent." })
  author_email?: string;

  @StringParam({ maxLength: MAX_IDENTITY, description: "The caller's when absent." })
  author_name?: string;
}

/** One element of `actions[]` (docs/reference/v4-repository.md#post-apiv4projectsidrepositorycommits). */
class V4FileActionDto {
  @StringParam({ required: true, description: '`create`, `update`, `delete`, `move` or `chmod`.' })
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

  @BooleanParam({ description: 'Of `chmod`, `create` and `update`: whether it can be executed.' })
  execute_filemode?: boolean;
}

/** `POST /projects/:id/repository/commits`. */
export class V4CreateCommitDto extends V4NewCommitDto {
  @StringParam({
    stringOnly: true,
    blank: 'absent',
    description: 'The commit that `branch` is made from, in place of `start_branch`.',
  })
  start_sha?: string;

  @ObjectListParam(V4FileActionDto, { required: true, description: 'Changes, made in this order.' })
  actions!: V4FileActionDto[];

  @BooleanParam({ description: 'Whether to count changed lines.', default: true })
  stats: boolean = true;
}

/** `POST /projects/:id/repository/commits/:sha/cherry_pick` and `…/revert`. */
export class V4ApplyCommitDto extends V4OnBranchDto {
  @StringParam({
    stringOnly: true,
    blank: 'absent',
    maxLength: MAX_COMMIT_MESSAGE,
    description: 'The message of the new commit, in place of the one that names the commit.',
  })
  message?: string;

  @BooleanParam({
    description: 'Whether only to check that the changes apply; nothing is written.',
    default: false,
  })
  dry_run: boolean = false;
}

/** The message of a cherry-picked commit, unless one is given. */
const pickMessage = ({ oid, message }: Commit): string =>
  `${message.trimEnd()}\n\n(cherry-picked from commit ${oid})`;

const revertMessage = ({ oid, message }: Commit): string =>
  `Revert "${titleOf(message)}"\n\nThis reverts commit ${oid}`;

const MESSAGES = { 'cherry-pick': pickMessage, revert: revertMessage };

export function toV4Application(
  kind: Application['kind'],
  revision: string,
  { branch, message }: V4ApplyCommitDto,
): Application {
  return {
    kind,
    revision,
    branch,
    author: 'caller',
    message: message === undefined ? MESSAGES[kind] : () => message,
  };
}

export function toV4NewCommit(body: V4NewCommitDto & { start_sha?: string }): NewCommit {
  const { branch, commit_message: message, start_branch, start_sha } = body;
  return {
    branch,
    message,
    author: { name: body.author_name, email: body.author_email },
    start: start_sha === undefined ? branchStart(branch, start_branch) : { commit: start_sha },
  };
}

/** Clients name the branch itself where they make none. */
const branchStart = (branch: string, start: string | undefined): NewCommit['start'] =>
  start === undefined || start === branch ? undefined : { branch: start };

/** @throws DomainError for `chmod` without a mode */
export function toV4FileActions({ actions }: V4CreateCommitDto): FileAction[] {
  return actions.map((item, index) => {
    if (item.action === 'chmod' && item.execute_filemode === undefined) {
      throw invalidParameter(`actions[${String(index)}][execute_filemode] is missing`);
    }
    return {
      action: item.action,
      path: item.file_path,
      previousPath: item.previous_path,
      content: item.content,
      encoding: item.encoding,
      executable: item.execute_filemode,
    };
  });
}
