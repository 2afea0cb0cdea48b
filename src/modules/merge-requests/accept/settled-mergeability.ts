import { Injectable } from '@nestjs/common';
import { PushLock } from '../../repository/index.js';
import { type LocatedMergeRequest, MergeRequestsRepository } from '../merge-requests.repository.js';
import { Mergeability } from '../refresh/mergeability.js';
import { assertUnchanged } from './accept-checks.js';

/** Tells whether merge requests can be merged, of what no other accept is at work on. */
@Injectable()
export class SettledMergeability {
  constructor(
    private readonly mergeability: Mergeability,
    private readonly pushLock: PushLock,
    private readonly requests: MergeRequestsRepository,
  ) {}

  /**
   * What another accept has merged, and not recorded yet, looks as if there were nothing to merge: its
   * end is waited for, and looked again. Not to be called inside a unit of work.
   * @throws DomainError as `assertUnchanged`
   */
  async check(seen: LocatedMergeRequest): Promise<boolean> {
    if ((await this.mergeability.check(seen)) === 'can_be_merged') return true;
    const { projectId, id } = seen;
    const current = await this.pushLock.hold([projectId], () =>
      this.requests.findIn(projectId, id),
    );
    assertUnchanged(current, seen);
    return (await this.mergeability.check(current)) === 'can_be_merged';
  }
}
