import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import { invalidRecord, namedNotFound } from '../../../platform/errors/index.js';
import type { ProjectRef } from '../../access/index.js';
import { ProjectStorage } from '../../projects/index.js';
import type { User } from '../../users/index.js';
import { CommitFinder } from '../commit-finder.js';
import type { StatusKey } from './commit-statuses.repository.js';
import type { AuthoredStatus } from './list-statuses.js';
import type { StatusState } from './status-states.js';
import { StatusChanges } from './status-changes.js';

/** As long as columns that an index spans may be. */
const MAX_KEY_LENGTH = 255;
const MAX_TEXT_LENGTH = 2_048;

export interface StatusInput {
  state: StatusState;
  /** Of the alphabetically first branch that has the commit when absent. */
  ref?: string | undefined;
  name: string;
  targetUrl?: string | undefined;
  description?: string | undefined;
}

/**
 * Adds statuses to commits, or moves them on
 * (docs/reference/commit-statuses.md#post-projectsidstatusessha).
 */
@Injectable()
export class PostStatus {
  constructor(
    private readonly work: UnitOfWork,
    private readonly storage: ProjectStorage,
    private readonly commits: CommitFinder,
    private readonly changes: StatusChanges,
  ) {}

  /**
   * @param commit hash, abbreviated hash, branch or tag
   * @throws DomainError not found, rule violated for a step back, invalid record
   */
  async run(
    project: ProjectRef,
    commit: string,
    author: User,
    { ref: given, name, ...report }: StatusInput,
  ): Promise<AuthoredStatus> {
    const sha = await this.commits.resolve(project, commit);
    const ref = given ?? (await this.storage.repository(project).firstBranchWith(sha));
    if (ref === null) throw namedNotFound('References for commit');
    const { targetUrl: target_url, description } = report;
    assertLengths({ ref, name }, MAX_KEY_LENGTH);
    assertLengths({ target_url, description }, MAX_TEXT_LENGTH);
    if (target_url !== undefined && !isWebAddress(target_url)) {
      throw invalidRecord({ target_url: ['must be a valid URL'] });
    }
    const key: StatusKey = { projectId: project.id, sha, ref, name };
    const status = await this.work.run(() =>
      this.changes.apply(key, { ...report, userId: author.id }),
    );
    return { status, author };
  }
}

/** Pages show it as a link, which must not run a script. */
function isWebAddress(text: string): boolean {
  return /^https?:\/\/[^\s\p{Cc}]+$/iu.test(text) && URL.canParse(text);
}

function assertLengths(fields: Record<string, string | undefined>, limit: number): void {
  const text = `is too long (maximum is ${String(limit)} characters)`;
  const tooLong = Object.entries(fields).filter(([, value]) => (value?.length ?? 0) > limit);
  if (tooLong.length === 0) return;
  throw invalidRecord(Object.fromEntries(tooLong.map(([name]) => [name, [text]])));
}
