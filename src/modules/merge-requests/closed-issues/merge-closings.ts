import { Injectable } from '@nestjs/common';
import { canSee, ProjectAccessRepository } from '../../access/index.js';
import { referenceText } from '../../issuables/index.js';
import {
  type Closing,
  type ClosingCreditSource,
  mayEdit,
  ProvidesClosingCredits,
} from '../../issues/index.js';
import { UsersRepository } from '../../users/index.js';
import { MergeAttemptsRepository } from '../accept/merge-attempts.repository.js';
import type { LocatedMergeRequest } from '../merge-requests.repository.js';
import { ClosingIssues } from './closing-issues.js';

/** Tells which issues merged requests close, and in whose name (open points 5.4). */
@Injectable()
@ProvidesClosingCredits()
export class MergeClosings implements ClosingCreditSource {
  constructor(
    private readonly users: UsersRepository,
    private readonly projects: ProjectAccessRepository,
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
    const user = await this.users.findById(mergerId);
    if (user?.state !== 'active') return [];
    const access = await this.projects.find(user, { id: mergeRequest.projectId });
    if (access === null || !canSee(access)) return [];
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
