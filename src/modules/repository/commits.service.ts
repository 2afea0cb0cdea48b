import { Injectable } from '@nestjs/common';
import type { ChangeCounts, HistoryPage, Repository } from '../../git/index.js';
import { COUNTED_ITEMS, Page, type PageRequest, windowOf } from '../../platform/http/index.js';
import type { ProjectRef } from '../access/index.js';
import { ProjectStorage } from '../projects/index.js';
import type { Lasting } from './answer-cache.js';
import { CommitFinder } from './commit-finder.js';
import type { CombinedState } from './statuses/combined-status.js';
import { CombinedStatuses, type CommitWithStatus } from './statuses/combined-statuses.js';
import { listCommits } from './listed-commits.js';

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

  /**
   * Newest first; an unknown ref or an empty repository has no commits
   * (docs/reference/commits.md#get-projectsidrepositorycommits).
   */
  async list(
    project: ProjectRef,
    { refName, ...filter }: CommitFilter,
    request: PageRequest,
  ): Promise<Lasting<Page<CommitWithStatus>>> {
    const { page, per_page: perPage } = request;
    const repository = this.storage.repository(project);
    const rev = refName ?? project.defaultBranch;
    const start = rev === null ? null : await repository.resolveCommit(rev);
    if (start === null) return nothing(request);
    const { offset: skip, limit } = windowOf(request);
    const history = await repository.history({ start, ...filter, skip, limit });
    const shown = history.oids.slice(0, perPage);
    const statuses = await this.statuses.ofCommits(project, shown);
    return {
      key: ['commits', start, filter, page, perPage, shown.map((oid) => statuses.get(oid))],
      make: () => pageOf(repository, history, statuses, request),
    };
  }

  /**
   * @param sha hash, abbreviated hash, branch or tag
   * @throws DomainError not found
   */
  async find(
    project: ProjectRef,
    sha: string,
  ): Promise<Lasting<CommitWithStatus & { stats: ChangeCounts }>> {
    const oid = await this.finder.resolve(project, sha);
    const status = await this.statuses.ofCommit(project, oid);
    return {
      key: ['commit', oid, status],
      make: async () => {
        const commit = await this.finder.find(project, oid);
        const stats = await this.storage.repository(project).stats(oid);
        return { commit, status, stats };
      },
    };
  }
}

function nothing(request: PageRequest): Lasting<Page<CommitWithStatus>> {
  const { page, per_page: perPage } = request;
  return {
    key: ['no commits', page, perPage],
    make: () => Promise.resolve(Page.of<CommitWithStatus>([], request)),
  };
}

async function pageOf(
  repository: Repository,
  { oids, total }: HistoryPage,
  statuses: ReadonlyMap<string, CombinedState>,
  request: PageRequest,
): Promise<Page<CommitWithStatus>> {
  const commits = await listCommits(repository, oids);
  const described = commits.map((commit) => ({
    commit,
    status: statuses.get(commit.oid) ?? null,
  }));
  return Page.cut(described, total ?? COUNTED_ITEMS + 1, request);
}
