import { Injectable } from '@nestjs/common';
import { runAs } from '../../../platform/async/index.js';
import { UnitOfWork } from '../../../platform/database/index.js';
import { PushIntentsRepository } from './push-intents.repository.js';
import { PushTurns } from './push-turns.js';

/**
 * Keeps pushes away from projects while something is recorded of their branches: whoever reads a branch
 * here has its value before a push that is told of afterwards, or after one that was told of already.
 */
@Injectable()
export class StillBranches {
  constructor(
    private readonly turns: PushTurns,
    private readonly work: UnitOfWork,
    private readonly intents: PushIntentsRepository,
  ) {}

  /**
   * Runs a unit of work in which no push moves a branch of these projects. Not to be called inside
   * another one, which would hold its connection while it waits.
   */
  run<T>(projectIds: readonly number[], work: () => Promise<T>): Promise<T> {
    const inOrder = [...new Set(projectIds)].sort((a, b) => a - b);
    const still = (): Promise<T> =>
      this.work.run(async () => {
        for (const id of inOrder) await this.intents.lock(id);
        return work();
      });
    return this.turns.takeAll(inOrder, () => runAs('push', still));
  }
}
