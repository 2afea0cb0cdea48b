import { Injectable } from '@nestjs/common';
import { BRANCH_PREFIX } from '../../../git/index.js';
import { UnitOfWork } from '../../../platform/database/index.js';
import { DomainEvents } from '../../activity/index.js';
import { ProjectStorage } from '../project-storage.js';
import { RepositoryHead } from '../repository-head.js';
import { type CopiedProject, ForkCopiesRepository } from './fork-copies.repository.js';
import { RepositoryCopied } from './fork.events.js';

/** Records that a fork is filled, or that it will stay empty. */
@Injectable()
export class CopyOutcome {
  constructor(
    private readonly work: UnitOfWork,
    private readonly copies: ForkCopiesRepository,
    private readonly storage: ProjectStorage,
    private readonly head: RepositoryHead,
    private readonly events: DomainEvents,
  ) {}

  /**
   * @param source null when it was removed before anything could be copied
   * @param failure why nothing was copied, for the user; null when it was, or there was nothing
   */
  async record(
    fork: CopiedProject,
    source: CopiedProject | null,
    failure: string | null,
  ): Promise<void> {
    const branch = await this.defaultBranchOf(fork, source);
    const isFirst = await this.work.run(async () => {
      if (!(await this.copies.finish(fork.id, branch))) return false;
      if (failure !== null) await this.copies.insertFailure(fork.id, source?.id ?? null, failure);
      if (branch !== null) await this.head.change(fork.id);
      await this.events.publish(new RepositoryCopied(fork.id, fork.storage));
      return true;
    });
    if (isFirst && branch !== null) await this.head.followNow(fork.id);
  }

  /** The source's, as long as it was copied; a branch made since then was not. */
  private async defaultBranchOf(
    fork: CopiedProject,
    source: CopiedProject | null,
  ): Promise<string | null> {
    const { refs } = this.storage.repository(fork);
    for (const branch of [source?.defaultBranch ?? null, await refs.head()]) {
      if (branch !== null && (await refs.get(`${BRANCH_PREFIX}${branch}`)) !== null) return branch;
    }
    return null;
  }
}
