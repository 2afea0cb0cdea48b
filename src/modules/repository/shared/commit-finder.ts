import { Injectable } from '@nestjs/common';
import type { Commit, Oid } from '../../../git/index.js';
import { notFound } from '../../../platform/errors/index.js';
import type { ProjectRef } from '../../access/index.js';
import { ProjectStorage } from '../../projects/index.js';

/** A file of a revision. */
export interface FoundFile {
  commit: Commit;
  blob: Oid;
}

/**
 * Finds commits, and files in them, by hash, abbreviated hash, branch or tag
 * (docs/reference/conventions.md#identifiers-in-paths).
 */
@Injectable()
export class CommitFinder {
  constructor(private readonly storage: ProjectStorage) {}

  /**
   * Resolves a revision to the full hash of its commit.
   * @throws DomainError not found
   */
  async resolve(project: ProjectRef, sha: string): Promise<Oid> {
    const oid = await this.storage.repository(project).resolveCommit(sha);
    if (oid === null) throw notFound('Commit');
    return oid;
  }

  /** @throws DomainError not found */
  async find(project: ProjectRef, sha: string): Promise<Commit> {
    const oid = await this.resolve(project, sha);
    const commit = await this.storage.repository(project).objects.commit(oid);
    if (commit === null) throw notFound('Commit');
    return commit;
  }

  /** @throws DomainError not found: the commit, or the file */
  async findFile(project: ProjectRef, sha: string, path: string): Promise<FoundFile> {
    const commit = await this.find(project, sha);
    const entry = await this.storage.repository(project).trees.find(commit.tree, path);
    if (entry?.type !== 'blob') throw notFound('File');
    return { commit, blob: entry.oid };
  }
}
