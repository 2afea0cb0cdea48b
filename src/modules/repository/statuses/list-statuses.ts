import { Injectable } from '@nestjs/common';
import { mapPage, Page, type PageRequest } from '../../../platform/http/index.js';
import type { ProjectRef } from '../../access/index.js';
import { authorOf, type User, UsersRepository } from '../../users/index.js';
import { CommitFinder } from '../commit-finder.js';
import type { CommitStatus } from './commit-status.entity.js';
import { CommitStatusesRepository, type StatusFilter } from './commit-statuses.repository.js';

/** The only stage there is (docs/reference/commit-statuses.md#the-status-of-a-commit). */
const STAGE = 'external';

export interface AuthoredStatus {
  status: CommitStatus;
  /** The ghost in the place of a deleted account. */
  author: User;
}

@Injectable()
export class ListStatuses {
  constructor(
    private readonly commits: CommitFinder,
    private readonly statuses: CommitStatusesRepository,
    private readonly users: UsersRepository,
  ) {}

  /**
   * The statuses of a commit, the oldest first.
   * @param sha hash, abbreviated hash, branch or tag
   * @throws DomainError not found
   */
  async run(
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
}
