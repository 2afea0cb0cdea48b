import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import { forbidden, notFound } from '../../../platform/errors/index.js';
import type { ProjectRef, Subject } from '../../access/index.js';
import { IssuableTraces } from '../../issuables/index.js';
import { IssueRelations, type IssueWithRelations } from '../issue-relations.js';
import { IssueChanges } from './issue-changes.js';

/**
 * Deletes issues: they are gone for everybody, and their numbers stay taken
 * (docs/reference/issues.md#delete-projectsidissuesissue_id).
 */
@Injectable()
export class DeleteIssue {
  constructor(
    private readonly work: UnitOfWork,
    private readonly changes: IssueChanges,
    private readonly relations: IssueRelations,
    private readonly traces: IssuableTraces,
  ) {}

  /**
   * @returns the issue as it was
   * @throws DomainError forbidden where the project has no issues, not found
   */
  async run(project: ProjectRef, caller: Subject, id: number): Promise<IssueWithRelations> {
    if (!project.issuesEnabled) throw forbidden();
    return this.work.run(async () => {
      const issue = await this.changes.lock(project.id, id);
      if (issue === null) throw notFound('Issue');
      const asItWas = await this.relations.loadOne(issue, caller);
      await this.traces.remove({ type: 'Issue', id });
      await this.changes.remove(issue);
      return asItWas;
    });
  }
}
