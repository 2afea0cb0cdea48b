import { Injectable } from '@nestjs/common';
import { notFound } from '../../../platform/errors/index.js';
import {
  allows,
  type ProjectAccess,
  ProjectAccessRepository,
  type Subject,
} from '../../authorization/index.js';
import { isEnabled, IssuableActivityRecorder, IssuableRelations } from '../../issuables/index.js';
import { StorageQuota } from '../../storage/index.js';
import type { User } from '../../users/index.js';
import { IssueLinksRepository } from '../links/issue-links.repository.js';
import { issuableOf } from '../model/issue-kind.js';
import { IssueChanged, toReport } from '../model/issue.events.js';
import {
  IssuesRepository,
  type IssueWithRelations,
  type LocatedIssue,
} from '../model/issues.repository.js';
import { moveRefused } from '../model/refusals.js';
import { IssueCopier } from './issue-copier.js';

/** Moves issues to other projects (docs/reference/issues.md#moving). */
@Injectable()
export class IssueMovesService {
  constructor(
    private readonly quota: StorageQuota,
    private readonly projects: ProjectAccessRepository,
    private readonly issues: IssuesRepository,
    private readonly links: IssueLinksRepository,
    private readonly copier: IssueCopier,
    private readonly activity: IssuableActivityRecorder,
    private readonly relations: IssuableRelations,
  ) {}

  /**
   * Copies an issue with its notes, awards and uploads into the target project, hands its links over to the copy, and closes
   * the original.
   * @returns the new issue
   * @throws DomainError not found, move refused, storage limit
   */
  async move(
    access: ProjectAccess,
    caller: User,
    issueId: number,
    targetId: number,
  ): Promise<IssueWithRelations> {
    const { project: from } = access;
    const { project: to } = await this.checkPermission(access, caller, issueId, targetId);
    // After a deadlock uploads are copied again; the first copies are removed as orphaned files.
    const copy = await this.quota.run(async () => {
      await this.issues.lockMoves([from.id, to.id]);
      const source = await this.lockSource(from.id, issueId);
      const made = await this.copier.copy(source, from, to, caller.id);
      await this.links.handOver(source.id, made.id);
      await this.closeSource(source, made, caller);
      return made;
    });
    return this.relations.loadOne('Issue', copy, caller);
  }

  /**
   * Checks in the order of docs/reference/issues.md#moving.
   * @returns the caller's access to the target project
   */
  private async checkPermission(
    access: ProjectAccess,
    caller: Subject,
    issueId: number,
    targetId: number,
  ): Promise<ProjectAccess> {
    const issue = await this.issues.findIn(access.project.id, issueId);
    if (issue === null) throw notFound('issue');
    const target = await this.projects.find(caller, { id: targetId });
    if (target === null) throw notFound('project');
    const isPermitted = [access, target].every(
      (one) => isEnabled(one.project, 'Issue') && allows(one, 'issue:edit-any'),
    );
    if (!isPermitted || issue.movedToId !== null) throw moveRefused('not-permitted');
    if (target.project.id === access.project.id) throw moveRefused('same-project');
    return target;
  }

  private async lockSource(projectId: number, issueId: number): Promise<LocatedIssue> {
    const source = await this.issues.lockIn(projectId, issueId);
    if (source === null) throw notFound('issue');
    // An issue moves once.
    if (source.movedToId !== null) throw moveRefused('not-permitted');
    return source;
  }

  private async closeSource(before: LocatedIssue, copy: LocatedIssue, { id }: User): Promise<void> {
    const after = { ...before, state: 'closed' as const, movedToId: copy.id };
    await this.issues.update({ before, after }, id);
    await this.activity.finishTodo(issuableOf(before), id);
    const closing = new IssueChanged({ id: before.projectId }, before, id, 'close');
    const changes = [
      new IssueChanged({ id: copy.projectId }, copy, id, 'open'),
      ...(before.state === 'closed' ? [] : [closing]),
    ];
    await this.activity.publish('Issue', changes.map(toReport));
  }
}
