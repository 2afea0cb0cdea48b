import { invalidParameter } from '../../../../platform/errors/index.js';
import { StringParam, TimestampParam } from '../../../../platform/http/index.js';
import { MAX_COMMIT_MESSAGE } from '../../../../platform/limits/index.js';
import { isVersion } from '../../commits/changelog.js';
import type { ChangelogFile, ChangelogQuery } from '../../commits/changelog.service.js';
import { toFilePath } from '../files/file.dto.js';
import { commitRefused } from '../../shared/refusals.js';

const DEFAULT_FILE = 'CHANGELOG.md';

/** `GET /projects/:id/repository/changelog`. */
export class V4ReadChangelogDto {
  @StringParam({
    required: true,
    maxLength: 255,
    description: 'A semantic version; it may begin with `v`.',
  })
  version!: string;

  @StringParam({
    blank: 'absent',
    description:
      'A revision behind which the commits begin; the tag of the newest earlier version if absent.',
  })
  from?: string;

  @StringParam({
    blank: 'absent',
    description: 'The last commit; the head of the branch if absent.',
  })
  to?: string;

  @TimestampParam({ description: 'Of the release; now if absent.' })
  date?: Date;

  @StringParam({
    blank: 'absent',
    maxLength: 255,
    description: 'The trailer of the commits that count; its value is the category.',
    default: 'Changelog',
  })
  trailer: string = 'Changelog';
}

/** `POST /projects/:id/repository/changelog`. */
export class V4CommitChangelogDto extends V4ReadChangelogDto {
  @StringParam({
    stringOnly: true,
    blank: 'absent',
    description: 'The branch that gets the commit; the default branch if absent.',
  })
  branch?: string;

  @StringParam({ blank: 'absent', description: 'The file.', default: DEFAULT_FILE })
  file: string = DEFAULT_FILE;

  @StringParam({
    stringOnly: true,
    blank: 'absent',
    maxLength: MAX_COMMIT_MESSAGE,
    description: 'The message of the commit; `Add changelog for version …` if absent.',
  })
  message?: string;
}

/** @throws DomainError for a version that is none */
export function toChangelogQuery(query: V4ReadChangelogDto): ChangelogQuery {
  const { version, from, to, date = new Date(), trailer } = query;
  if (!isVersion(version)) throw invalidParameter('version is invalid');
  return { version, from, to, date: startOfDay(date), trailer };
}

/** A changelog names the day alone. */
const startOfDay = (date: Date): Date => new Date(date.toISOString().slice(0, 10));

/** @throws DomainError without a branch in an empty repository */
export function toChangelogFile(
  { branch, version, file, message }: V4CommitChangelogDto,
  defaultBranch: string | null,
): ChangelogFile {
  const name = branch ?? defaultBranch;
  if (name === null) throw commitRefused('no-such-branch');
  return {
    branch: name,
    path: toFilePath(file),
    message: message ?? `Add changelog for version ${version}`,
  };
}
