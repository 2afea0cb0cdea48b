import { Injectable } from '@nestjs/common';
import type { Commit, Oid } from '../../git/index.js';
import { notFound } from '../../platform/errors/index.js';
import type { ProjectRef } from '../access/index.js';
import { ProjectStorage } from '../projects/index.js';

/**
 * Finds the commits that paths name: by hash, abbreviated hash, branch or tag
 * (docs/reference/conventions.md#identifiers-in-paths).
 */
@Injectable()
export class CommitFinder {
  constructor(private readonly storage: ProjectStorage) {}

  /**
   * The whole hash.
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
}
