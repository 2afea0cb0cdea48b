import { Injectable } from '@nestjs/common';
import type { DiffEntry, Oid } from '../../../git/index.js';
import { Page, type PageRequest } from '../../../platform/http/index.js';
import type { ProjectRef } from '../../access/index.js';
import { ProjectStorage } from '../../projects/index.js';
import type { Lasting } from '../answer-cache.js';
import { CommitFinder } from '../commit-finder.js';

@Injectable()
export class DiffsService {
  constructor(
    private readonly storage: ProjectStorage,
    private readonly commits: CommitFinder,
  ) {}

  /**
   * What a commit changes against its first parent, file by file. A list that was cut does not say
   * how long it is.
   * @throws DomainError not found
   */
  async list(
    project: ProjectRef,
    sha: string,
    request: PageRequest,
  ): Promise<Lasting<Page<DiffEntry>>> {
    const oid = await this.commits.resolve(project, sha);
    return {
      key: ['diff', oid, request.page, request.per_page],
      make: () => this.page(project, oid, request),
    };
  }

  private async page(
    project: ProjectRef,
    oid: Oid,
    request: PageRequest,
  ): Promise<Page<DiffEntry>> {
    const { parents } = await this.commits.find(project, oid);
    const repository = this.storage.repository(project);
    const { entries, isCut } = await repository.diff(parents[0] ?? null, oid);
    return Page.of(entries, request, { isCut });
  }
}
