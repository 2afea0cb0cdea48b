import { Injectable } from '@nestjs/common';
import type { ChangeCounts } from '../../git/index.js';
import { COUNTED_ITEMS, mapPage, Page, type PageRequest } from '../../platform/http/index.js';
import type { ProjectRef } from '../access/index.js';
import { ProjectStorage } from '../projects/index.js';
import { CommitFinder } from './commit-finder.js';
import { CombinedStatuses, type CommitWithStatus } from './statuses/combined-statuses.js';

export interface CommitFilter {
  /** Branch, tag or hash; the default branch if absent. */
  refName?: string | undefined;
  since?: Date | undefined;
  until?: Date | undefined;
  path?: string | undefined;
}

@Injectable()
export class CommitsService {
  constructor(
    private readonly storage: ProjectStorage,
    private readonly finder: CommitFinder,
    private readonly statuses: CombinedStatuses,
  ) {}

  /** Newest first; an unknown ref or an empty repository has no commits (open points 3.11). */
  async list(
    project: ProjectRef,
    { refName, ...filter }: CommitFilter,
    request: PageRequest,
  ): Promise<Page<CommitWithStatus>> {
    const repository = this.storage.repository(project);
    const rev = refName ?? project.defaultBranch;
    const start = rev === null ? null : await repository.resolveCommit(rev);
    if (start === null) return Page.of<CommitWithStatus>([], request);
    const { page, per_page: perPage } = request;
    const history = await repository.history({
      start,
      ...filter,
      skip: (page - 1) * perPage,
      limit: perPage + 1,
    });
    const commits = (await repository.objects.commits(history.oids)).filter(isPresent);
    const cut = Page.cut(commits, history.total ?? COUNTED_ITEMS + 1, request);
    const described = await this.statuses.describe(project.id, cut.items);
    return mapPage(cut, (_, index) => described[index] as CommitWithStatus);
  }

  /**
   * @param sha hash, abbreviated hash, branch or tag
   * @throws DomainError not found
   */
  async read(
    project: ProjectRef,
    sha: string,
  ): Promise<CommitWithStatus & { stats: ChangeCounts }> {
    const repository = this.storage.repository(project);
    const commit = await this.finder.find(project, sha);
    const status = await this.statuses.ofCommit(project.id, commit.oid);
    return { commit, status, stats: await repository.stats(commit.oid) };
  }
}

function isPresent<T>(value: T | null): value is T {
  return value !== null;
}
