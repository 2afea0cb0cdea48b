import { Injectable } from '@nestjs/common';
import type { ChangeCounts, Commit, Repository } from '../../git/index.js';
import { notFound } from '../../platform/errors/index.js';
import { COUNTED_ITEMS, Page, type PageRequest } from '../../platform/http/index.js';
import type { ProjectRef } from '../access/index.js';
import { ProjectStorage } from '../projects/index.js';

export interface CommitFilter {
  /** Branch, tag or hash; the default branch if absent. */
  refName?: string | undefined;
  since?: Date | undefined;
  until?: Date | undefined;
  path?: string | undefined;
}

@Injectable()
export class CommitsService {
  constructor(private readonly storage: ProjectStorage) {}

  /** Newest first; an unknown ref or an empty repository has no commits (open points 3.11). */
  async list(
    project: ProjectRef,
    { refName, ...filter }: CommitFilter,
    request: PageRequest,
  ): Promise<Page<Commit>> {
    const repository = this.storage.repository(project);
    const rev = refName ?? project.defaultBranch;
    const start = rev === null ? null : await repository.resolveCommit(rev);
    if (start === null) return Page.of<Commit>([], request);
    const { page, per_page: perPage } = request;
    const history = await repository.history({
      start,
      ...filter,
      skip: (page - 1) * perPage,
      limit: perPage + 1,
    });
    const commits = (await repository.objects.commits(history.oids)).filter(isPresent);
    return Page.cut(commits, history.total ?? COUNTED_ITEMS + 1, request);
  }

  /**
   * @param sha hash, abbreviated hash, branch or tag
   * @throws DomainError not found
   */
  async read(project: ProjectRef, sha: string): Promise<{ commit: Commit; stats: ChangeCounts }> {
    const repository = this.storage.repository(project);
    const commit = await this.find(repository, sha);
    return { commit, stats: await repository.stats(commit.oid) };
  }

  private async find(repository: Repository, sha: string): Promise<Commit> {
    const oid = await repository.resolveCommit(sha);
    const commit = oid === null ? null : await repository.objects.commit(oid);
    if (commit === null) throw notFound('Commit');
    return commit;
  }
}

function isPresent<T>(value: T | null): value is T {
  return value !== null;
}
