import { Injectable } from '@nestjs/common';
import { referenceText } from '../../issuables/index.js';
import {
  type Closing,
  type ClosingCreditSource,
  mayEdit,
  ProvidesClosingCredits,
} from '../../issues/index.js';
import { ActingUsers } from '../../users/index.js';
import { MergeAttemptsRepository } from '../accept/merge-attempts.repository.js';
import type { LocatedMergeRequest } from '../merge-requests.repository.js';
import { ClosingIssues } from './closing-issues.js';

/**
 * Tells which issues merged requests close, and in whose name
 * (docs/reference/references.md#closing-references).
 */
@Injectable()
@ProvidesClosingCredits()
export class MergeClosings implements ClosingCreditSource {
  constructor(
    private readonly users: ActingUsers,
    private readonly closing: ClosingIssues,
    private readonly attempts: MergeAttemptsRepository,
  ) {}

  async creditsOf(projectId: number, branch: string): Promise<Closing[]> {
    const merged = await this.attempts.unfinishedIn(projectId, branch);
    const closings = merged.map((request) => this.of(request, request.mergerId));
    return (await Promise.all(closings)).flat();
  }

  /** What it says it closes, as far as the merger may edit it. */
  async of(mergeRequest: LocatedMergeRequest, mergerId: number): Promise<Closing[]> {
    const merger = await this.users.findOnProject(mergerId, mergeRequest.projectId);
    if (merger === null) return [];
    const { user, access } = merger;
    const { project } = access;
    const issues = await this.closing.of(mergeRequest, project, user);
    return issues
      .filter(({ issuable, access: standing }) => mayEdit(issuable, standing, user))
      .map(({ issuable, access: { project: home } }) => ({
        projectId: issuable.projectId,
        issueId: issuable.id,
        actorId: user.id,
        via: `merge request ${referenceText(`!${String(mergeRequest.iid)}`, project, home)}`,
      }));
  }
}
