import { Injectable } from '@nestjs/common';
import type { RefUpdate } from '../../../git/index.js';
import { Outbox } from '../../../platform/queue/index.js';
import { DomainEvents } from '../../activity/index.js';
import { TIDY_DELAY_MS, tidyRepository } from '../repository.jobs.js';
import type { PushIntent } from './push-intent.entity.js';
import type { LockedProject } from './push-intents.repository.js';
import { BranchesDeleted, BranchesPushed, type PushedBranch } from './push.events.js';
import { deletedBranches } from './pushed-branches.js';

/** Starts what follows a push: the repository is tidied, and the rooms above are told. */
@Injectable()
export class PushAftermath {
  constructor(
    private readonly outbox: Outbox,
    private readonly events: DomainEvents,
  ) {}

  /**
   * In the unit of work that records the push.
   * @param applied what git has really moved
   * @param branches those among them that are there
   */
  async begin(
    { userId }: PushIntent,
    { id: projectId, storage }: LockedProject,
    applied: readonly RefUpdate[],
    branches: readonly PushedBranch[],
  ): Promise<void> {
    const options = { delayMs: TIDY_DELAY_MS };
    await this.outbox.addUnlessWaiting(tidyRepository.with({ projectId, storage }, options));
    const gone = deletedBranches(applied);
    if (gone.length > 0) {
      const moved = branches.map(({ name }) => name);
      await this.events.publish(new BranchesDeleted(projectId, userId, gone, moved));
    }
    if (branches.length === 0) return;
    await this.events.publish(new BranchesPushed(projectId, userId, branches));
  }
}
