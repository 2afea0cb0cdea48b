import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import { forbidden, notFound } from '../../../platform/errors/index.js';
import { allows, type ProjectAccess } from '../../access/index.js';
import {
  assertFields,
  INITIAL_COUNTERS,
  LabelLinks,
  Triage,
  type TriageInput,
} from '../../issuables/index.js';
import type { User } from '../../users/index.js';
import { describedOf } from '../issue-kind.js';
import type { IssueWithRelations } from '../issue-relations.js';
import { IssueChanged } from '../issue.events.js';
import { IssuesRepository } from '../issues.repository.js';
import { IssueOutcome } from './issue-outcome.js';

export interface CreateIssueInput extends TriageInput {
  title: string;
  description?: string | undefined;
  confidential?: boolean | undefined;
  /** A day, `YYYY-MM-DD`. */
  dueDate?: string | null | undefined;
  createdAt?: Date | undefined;
}

/** Makes issues (docs/reference/issues.md#post-projectsidissues). */
@Injectable()
export class CreateIssue {
  constructor(
    private readonly work: UnitOfWork,
    private readonly triage: Triage,
    private readonly issues: IssuesRepository,
    private readonly links: LabelLinks,
    private readonly outcome: IssueOutcome,
  ) {}

  /**
   * What the author may not say is passed over.
   * @throws DomainError forbidden where the project has no issues, invalid record, not found
   */
  async run(
    access: ProjectAccess,
    author: User,
    { title: given, description, confidential, ...rest }: CreateIssueInput,
  ): Promise<IssueWithRelations> {
    const { project } = access;
    if (!project.issuesEnabled) throw forbidden();
    const title = given.trim();
    const { createdAt, dueDate, ...triage } = permitted(access, rest);
    assertFields({ title, description, labels: triage.labels });
    return this.work.run(async () => {
      const { assignee, milestone, labels } = await this.triage.resolve(project, triage);
      const issue = await this.issues.insert({
        projectId: project.id,
        authorId: author.id,
        assigneeId: assignee?.id ?? null,
        milestoneId: milestone?.id ?? null,
        title,
        description: description ?? null,
        state: 'opened',
        confidential: confidential ?? false,
        dueDate: dueDate ?? null,
        createdAt,
        updatedAt: createdAt,
      });
      if (issue === null) throw notFound('Project');
      if (labels !== undefined && labels.length > 0) {
        await this.links.replace(
          { type: 'Issue', id: issue.id },
          labels.map(({ id }) => id),
        );
      }
      await this.outcome.made(project, describedOf(issue), author);
      await this.outcome.done([new IssueChanged(project.id, issue.id, author.id, 'open')]);
      return {
        issue,
        author,
        labels: labels ?? [],
        milestone: milestone ?? null,
        assignee: assignee ?? null,
        counters: INITIAL_COUNTERS,
      };
    });
  }
}

type Restricted = Omit<CreateIssueInput, 'title' | 'description' | 'confidential'>;

/** What is left of the input for somebody with this standing. */
function permitted(access: ProjectAccess, { createdAt, ...triage }: Restricted): Restricted {
  return {
    ...(allows(access, 'issue:triage') ? triage : {}),
    ...(allows(access, 'issue:set-times') ? { createdAt } : {}),
  };
}
