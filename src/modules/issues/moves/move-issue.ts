import { Injectable } from '@nestjs/common';
import { notFound } from '../../../platform/errors/index.js';
import type { ProjectAccess } from '../../access/index.js';
import { StorageQuota } from '../../projects/index.js';
import type { User } from '../../users/index.js';
import { issuableOf } from '../issue-kind.js';
import { IssueChanged } from '../issue.events.js';
import type { LocatedIssue } from '../issues.repository.js';
import { IssueChanges } from '../writes/issue-changes.js';
import { IssueOutcome } from '../writes/issue-outcome.js';
import { alreadyMoved, MoveChecks } from './move-checks.js';
import { MovedContents } from './moved-contents.js';

/** Moves issues to other projects (docs/reference/issues.md#moving). */
@Injectable()
export class MoveIssue {
  constructor(
    private readonly quota: StorageQuota,
    private readonly checks: MoveChecks,
    private readonly contents: MovedContents,
    private readonly changes: IssueChanges,
    private readonly outcome: IssueOutcome,
  ) {}

  /**
   * @returns the new issue
   * @throws DomainError forbidden, not found, rule violated, storage limit
   */
  async run(
    access: ProjectAccess,
    caller: User,
    issueId: number,
    targetId: number,
  ): Promise<LocatedIssue> {
    const { project } = access;
    const target = await this.checks.run(access, caller, issueId, targetId);
    // After a deadlock files are copied once more; the first copies are in nobody's way.
    return this.quota.run(async () => {
      await this.checks.waitForOthers(project.id, target.project.id);
      const source = await this.changes.lock(project.id, issueId);
      if (source === null) throw notFound('Issue');
      if (source.movedToId !== null) throw alreadyMoved();
      const copy = await this.contents.copy(source, project, target.project, caller.id);
      const closed = { ...source, state: 'closed' as const, movedToId: copy.id };
      await this.changes.writeSilently({ before: source, after: closed }, caller.id);
      await this.outcome.acted(issuableOf(source), caller.id);
      await this.outcome.done([
        new IssueChanged(copy.projectId, copy.id, caller.id, 'open'),
        ...(source.state === 'closed'
          ? []
          : [new IssueChanged(source.projectId, source.id, caller.id, 'close')]),
      ]);
      return copy;
    });
  }
}
