import { Injectable } from '@nestjs/common';
import type { Commit, Oid } from '../../../git/index.js';
import { notFound } from '../../../platform/errors/index.js';
import type { ProjectRef } from '../../access/index.js';
import { ProjectStorage } from '../../projects/index.js';
import { CommitFinder } from '../commit-finder.js';

export interface FoundFile {
  commit: Commit;
  blob: Oid;
}

/** Finds files by revision and path. */
@Injectable()
export class FileFinder {
  constructor(
    private readonly storage: ProjectStorage,
    private readonly commits: CommitFinder,
  ) {}

  /**
   * @param sha hash, abbreviated hash, branch or tag
   * @throws DomainError not found: the commit, or the file
   */
  async find(project: ProjectRef, sha: string, path: string): Promise<FoundFile> {
    const commit = await this.commits.find(project, sha);
    const entry = await this.storage.repository(project).trees.find(commit.tree, path);
    if (entry?.type !== 'blob') throw notFound('File');
    return { commit, blob: entry.oid };
  }
}
