import { Injectable } from '@nestjs/common';
import type { DiffEntry } from '../../../git/index.js';
import { Page, type PageRequest } from '../../../platform/http/index.js';
import type { ProjectRef } from '../../access/index.js';
import { ProjectStorage } from '../../projects/index.js';
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
  async list(project: ProjectRef, sha: string, request: PageRequest): Promise<Page<DiffEntry>> {
    const { oid, parents } = await this.commits.find(project, sha);
    const repository = this.storage.repository(project);
    const { entries, isCut } = await repository.diff(parents[0] ?? null, oid);
    return Page.of(entries, request, { isCut });
  }
}
