import { Injectable } from '@nestjs/common';
import { invalidRecord } from '../../../platform/errors/index.js';
import { ProjectAccessRepository, type ProjectRef } from '../../access/index.js';
import { isOpen } from '../merge-request.entity.js';
import { type LocatedMergeRequest, MergeRequestsRepository } from '../merge-requests.repository.js';
import { MergeRequestVersions } from '../versions/merge-request-versions.js';
import { BranchChecks } from './branch-checks.js';
import type { Change } from './change-texts.js';
import { MergeRequestChanges } from './merge-request-changes.js';

/**
 * Writes changes of merge requests, reopening and another target branch above all
 * (docs/reference/merge-requests.md#reopening).
 */
@Injectable()
export class BranchChanges {
  constructor(
    private readonly projects: ProjectAccessRepository,
    private readonly checks: BranchChecks,
    private readonly changes: MergeRequestChanges,
    private readonly versions: MergeRequestVersions,
    private readonly mergeRequests: MergeRequestsRepository,
  ) {}

  /**
   * Whether the branches allow it: what is reopened needs all that a new request needs, another target
   * branch has to be there.
   * @throws DomainError unprocessable, conflict, invalid record
   */
  async assertPossible(target: ProjectRef, change: Change): Promise<void> {
    const { id, sourceProjectId, sourceBranch, targetBranch } = change.after;
    if (isReopened(change)) {
      const source = await this.source(target, sourceProjectId);
      if (source === null) throw invalidRecord({ source_branch: ['does not exist'] });
      const branches = { source, sourceBranch, target, targetBranch };
      await this.checks.assertRelated(branches);
      await this.checks.assertPossible(branches, id);
    } else if (isRetargeted(change)) {
      const source = { id: sourceProjectId };
      await this.checks.assertTarget({ source, sourceBranch, target, targetBranch }, id);
    }
  }

  /** In the unit of work that holds the request. @returns the request as it is then */
  async write(change: Change, actorId: number): Promise<LocatedMergeRequest> {
    const isOther = isOpen(change.after) && (isReopened(change) || isRetargeted(change));
    if (!isOther) return this.changes.write(change, actorId);
    const unchecked = { mergeStatus: 'unchecked', checkedTargetSha: null } as const;
    const after = { ...change.after, ...unchecked };
    const written = await this.changes.write({ ...change, after }, actorId);
    await this.versions.record(written);
    return (await this.mergeRequests.findIn(written.projectId, written.id)) ?? written;
  }

  private async source(target: ProjectRef, id: number | null): Promise<ProjectRef | null> {
    if (id === target.id || id === null) return id === null ? null : target;
    return (await this.projects.find(null, { id }))?.project ?? null;
  }
}

const isReopened = ({ before, after }: Change): boolean => !isOpen(before) && isOpen(after);

const isRetargeted = ({ before, after }: Change): boolean =>
  before.targetBranch !== after.targetBranch;
