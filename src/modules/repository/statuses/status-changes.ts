import { Injectable } from '@nestjs/common';
import { notFound } from '../../../platform/errors/index.js';
import { DomainEvents } from '../../activity/index.js';
import { CombinedStatuses } from './combined-statuses.js';
import type { CommitStatus } from './commit-status.entity.js';
import { CommitStatusChanged } from './commit-status.events.js';
import {
  CommitStatusesRepository,
  type StatusKey,
  type StatusReport,
} from './commit-statuses.repository.js';
import { assertTransition, isUnfinished } from './status-states.js';

/** Writes what is reported of commits, and tells the rooms above of it. */
@Injectable()
export class StatusChanges {
  constructor(
    private readonly statuses: CommitStatusesRepository,
    private readonly combined: CombinedStatuses,
    private readonly events: DomainEvents,
  ) {}

  /**
   * Moves the newest status of the key on while it is unfinished; else adds one. Call in a unit of work.
   * @throws DomainError rule violated for a step back, not found for a deleted project
   */
  async apply(key: StatusKey, report: StatusReport): Promise<CommitStatus> {
    await this.statuses.lockPipeline(key);
    const newest = await this.statuses.newest(key);
    if (newest === null || !isUnfinished(newest.status)) return this.add(key, report, newest);
    assertTransition(newest.status, report.state);
    // Nothing goes anywhere, but what is said of it may be news.
    if (newest.status === report.state) return this.statuses.update(newest.id, report);
    return this.telling(key, { from: newest.status, follows: null }, () =>
      this.statuses.update(newest.id, report),
    );
  }

  private add(
    key: StatusKey,
    report: StatusReport,
    previous: CommitStatus | null,
  ): Promise<CommitStatus> {
    return this.telling(key, { from: null, follows: previous?.status ?? null }, async () => {
      const added = await this.statuses.insert(key, report);
      if (added === null) throw notFound('Project');
      return added;
    });
  }

  private async telling(
    { projectId, sha, ref, name }: StatusKey,
    before: Pick<CommitStatusChanged['change'], 'from' | 'follows'>,
    write: () => Promise<CommitStatus>,
  ): Promise<CommitStatus> {
    const from = await this.combined.ofPipeline(projectId, sha, ref);
    const status = await write();
    const to = await this.combined.ofPipeline(projectId, sha, ref);
    const change = {
      statusId: status.id,
      name,
      ...before,
      to: status.status,
      userId: status.authorId,
    };
    await this.events.publish(new CommitStatusChanged(projectId, sha, ref, change, { from, to }));
    return status;
  }
}
