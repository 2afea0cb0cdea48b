import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../../platform/database/index.js';
import {
  assertValid,
  DomainError,
  type FieldProblem,
  invalidFields,
  notFound,
} from '../../../../platform/errors/index.js';
import { DomainEvents } from '../../../../platform/events/index.js';
import { mapPage, Page, type PageRequest } from '../../../../platform/pagination/index.js';
import type { ProjectRef } from '../../../authorization/index.js';
import { ProjectStorage } from '../../../storage/index.js';
import { authorOf, type User, UsersRepository } from '../../../users/index.js';
import { CommitStatusChanged } from '../commit.events.js';
import { CommitsService } from '../commits.service.js';
import type { CommitStatus } from './commit-status.entity.js';
import {
  CommitStatusesRepository,
  type StatusFilter,
  type StatusKey,
  type StatusReport,
} from './commit-statuses.repository.js';
import {
  assertTransition,
  combineWith,
  isUnfinished,
  STAGE,
  type StatusState,
} from './status.rules.js';

/** The length of columns that an index spans. */
const MAX_KEY_LENGTH = 255;
const MAX_TEXT_LENGTH = 2_048;

/**
 * The most statuses of a commit: each report reads those of its pipeline. A few more can be created at the same moment on
 * different refs.
 */
const STATUSES_PER_COMMIT = 10_000;

interface StatusInput {
  state: StatusState;
  /** The alphabetically first branch that contains the commit when absent. */
  ref?: string | undefined;
  name: string;
  targetUrl?: string | undefined;
  description?: string | undefined;
  /** Percent. */
  coverage?: number | undefined;
  /** Refuses to report the state again that a pending or running status has. Without it, that changes its texts. */
  refusesRepeated?: boolean | undefined;
}

export interface AuthoredStatus {
  status: CommitStatus;
  /** The ghost account for a deleted author. */
  author: User;
}

/** Commit statuses (docs/reference/commit-statuses.md). */
@Injectable()
export class CommitStatusesService {
  constructor(
    private readonly work: UnitOfWork,
    private readonly storage: ProjectStorage,
    private readonly commits: CommitsService,
    private readonly statuses: CommitStatusesRepository,
    private readonly users: UsersRepository,
    private readonly events: DomainEvents,
  ) {}

  /**
   * Lists the statuses of a commit, oldest first.
   * @param sha a revision
   * @throws DomainError not found
   */
  async list(
    project: ProjectRef,
    sha: string,
    { stage, ...filter }: StatusFilter & { stage?: string | undefined },
    request: PageRequest,
  ): Promise<Page<AuthoredStatus>> {
    const oid = await this.commits.resolve(project, sha);
    if (stage !== undefined && stage !== STAGE) return Page.of<AuthoredStatus>([], request);
    const page = await this.statuses.ofCommit(project.id, oid, filter, request);
    const authors = await this.users.findAuthors(page.items.map(({ authorId }) => authorId));
    return mapPage(page, (status) => ({ status, author: authorOf(authors, status.authorId) }));
  }

  /**
   * Adds a status to a commit, or updates the unfinished one of the same ref and name
   * (docs/reference/commit-statuses.md#post-projectsidstatusessha).
   * @param commit a revision
   * @throws DomainError not found, status runs already, status repeated, invalid record, too many statuses
   */
  async post(
    project: ProjectRef,
    commit: string,
    author: User,
    { ref: givenRef, name, refusesRepeated = false, ...report }: StatusInput,
  ): Promise<AuthoredStatus> {
    const sha = await this.commits.resolve(project, commit);
    const ref = givenRef ?? (await this.storage.repository(project).firstBranchWith(sha));
    if (ref === null) throw new DomainError({ code: 'commit-without-branch' });
    assertLengths({ ref, name }, MAX_KEY_LENGTH);
    const { description } = report;
    assertLengths({ targetUrl: report.targetUrl, description }, MAX_TEXT_LENGTH);
    const targetUrl = report.targetUrl === undefined ? undefined : webAddressOf(report.targetUrl);
    const key: StatusKey = { projectId: project.id, sha, ref, name };
    const status = await this.work.run(() =>
      this.insertOrUpdate(
        project,
        key,
        { ...report, targetUrl, userId: author.id },
        refusesRepeated,
      ),
    );
    return { status, author };
  }

  private async insertOrUpdate(
    project: ProjectRef,
    key: StatusKey,
    report: StatusReport,
    refusesRepeated: boolean,
  ): Promise<CommitStatus> {
    const { sha, ref, name } = key;
    // Sent together: the second one starts when the first one has the lock.
    const [, { own, others, isFull }] = await Promise.all([
      this.statuses.lockPipeline(key),
      this.statuses.findPipeline(key, STATUSES_PER_COMMIT),
    ]);
    const unfinished = own !== null && isUnfinished(own.status) ? own : null;
    if (unfinished !== null) assertTransition(unfinished.status, report.state, refusesRepeated);
    else if (isFull) {
      throw new DomainError({ code: 'too-many-statuses', limit: STATUSES_PER_COMMIT });
    }
    const status = await (unfinished === null
      ? this.insert(key, report)
      : this.statuses.update(unfinished.id, report));
    // Without a transition only texts change, which is no event.
    if (unfinished?.status === status.status) return status;
    const change = {
      statusId: status.id,
      name,
      userId: status.authorId,
      to: status.status,
      from: unfinished?.status ?? null,
      follows: unfinished === null ? (own?.status ?? null) : null,
    };
    const combined = { from: combineWith(others, own), to: combineWith(others, status) };
    await this.events.publish(new CommitStatusChanged(project, sha, ref, change, combined));
    return status;
  }

  private async insert(key: StatusKey, report: StatusReport): Promise<CommitStatus> {
    const status = await this.statuses.insert(key, report);
    if (status === null) throw notFound('project');
    return status;
  }
}

/**
 * Removes blanks around an HTTP address and encodes those within. Pages show it as a link, which must not run a script.
 * @throws DomainError invalid fields
 */
function webAddressOf(text: string): string {
  const address = text.trim().replace(/\p{Zs}/gu, encodeURIComponent);
  if (!/^https?:\/\/[^\s\p{Cc}]+$/iu.test(address) || !URL.canParse(address)) {
    throw invalidFields({ targetUrl: [{ rule: 'not-a-url' }] });
  }
  assertLengths({ targetUrl: address }, MAX_TEXT_LENGTH);
  return address;
}

/** @throws DomainError invalid fields: all fields that are too long */
function assertLengths(fields: Record<string, string | undefined>, limit: number): void {
  const problem: FieldProblem = { rule: 'too-long', limit };
  const tooLong = Object.entries(fields).filter(([, value]) => (value?.length ?? 0) > limit);
  assertValid(Object.fromEntries(tooLong.map(([name]) => [name, [problem]])));
}
