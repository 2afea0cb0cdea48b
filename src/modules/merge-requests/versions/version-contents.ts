import { Injectable } from '@nestjs/common';
import type { Commit, DiffEntry } from '../../../git/index.js';
import { COUNTED_ITEMS, Page, type PageRequest } from '../../../platform/http/index.js';
import type { ProjectRef } from '../../access/index.js';
import { ProjectStorage } from '../../projects/index.js';
import { type CacheableAnswer, listCommits } from '../../repository/index.js';
import type { MergeRequestVersion } from './merge-request-version.entity.js';

/**
 * What versions consist of: it is named by commits, and never changes
 * (docs/reference/merge-requests.md#versions).
 */
@Injectable()
export class VersionContents {
  constructor(private readonly storage: ProjectStorage) {}

  /**
   * What the source branch had that the target branch had not, the newest first.
   * @param project the target project
   * @param version null has no commits
   */
  commits(
    project: ProjectRef,
    version: MergeRequestVersion | null,
    request: PageRequest,
  ): CacheableAnswer<Page<Commit>> {
    const { page, per_page: perPage } = request;
    const ends = version && [version.startCommitSha, version.headCommitSha];
    return {
      key: ['version commits', ends, page, perPage],
      make: async () => {
        if (version === null) return Page.of<Commit>([], request);
        const { total, commits } = await this.walk(project, version, request);
        return Page.cut(commits, total ?? COUNTED_ITEMS + 1, request);
      },
    };
  }

  /** The newest commits of a version, as many as a limit says. */
  async newest(
    project: ProjectRef,
    version: MergeRequestVersion,
    limit: number,
  ): Promise<Commit[]> {
    const { commits } = await this.walk(project, version, { page: 1, per_page: limit });
    return commits.slice(0, limit);
  }

  /** What the source branch changes since it left the target branch. */
  changes(project: ProjectRef, version: MergeRequestVersion | null): CacheableAnswer<DiffEntry[]> {
    if (version === null) return { key: ['no changes'], make: () => Promise.resolve([]) };
    const { baseCommitSha: base, headCommitSha: head } = version;
    return {
      key: ['changes', base, head],
      make: async () => (await this.storage.repository(project).diff(base, head)).entries,
    };
  }

  /** One commit more than the page has, where there are more. */
  private async walk(
    project: ProjectRef,
    { startCommitSha: exclude, headCommitSha: start }: MergeRequestVersion,
    { page, per_page: perPage }: PageRequest,
  ): Promise<{ commits: Commit[]; total: number | null }> {
    const repository = this.storage.repository(project);
    const skip = (page - 1) * perPage;
    const { oids, total } = await repository.history({ start, exclude, skip, limit: perPage + 1 });
    return { commits: await listCommits(repository, oids), total };
  }
}
