import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/index.js';
import { HiddenReferences, hideReferences, LabelLinks } from '../../issuables/index.js';
import { ProjectObjects } from '../../projects/index.js';
import { Issue, type IssueChanged } from '../../issues/index.js';
import { authorOf } from '../../users/index.js';
import { labelObject } from './label-object.js';
import { UserObjects } from './user-object.js';

/** Tells of issues (open points 7.4). */
@Injectable()
export class IssuePayloads {
  constructor(
    private readonly database: Database,
    private readonly labels: LabelLinks,
    private readonly hidden: HiddenReferences,
    private readonly projects: ProjectObjects,
    private readonly users: UserObjects,
  ) {}

  /**
   * The issue as it is by now, with the references that anybody may see; null for a confidential one, of
   * which nobody is told.
   */
  async find(id: number): Promise<Issue | null> {
    const issue = await this.database.of(Issue).findOneBy({ id });
    if (issue === null || issue.confidential) return null;
    const { description, movedReferences: moved } = issue;
    if (description === null || moved === null) return issue;
    const hides = await this.hidden.from([issue], null);
    return { ...issue, description: hideReferences({ text: description, moved }, hides) };
  }

  /** Null where nobody may be told. */
  async changed({ issueId, actorId, action }: IssueChanged): Promise<object | null> {
    const issue = await this.find(issueId);
    if (issue === null) return null;
    const project = await this.projects.find(issue.projectId);
    if (project === null) return null;
    const people = await this.users.find(actorId, issue.assigneeId);
    const labels = (await this.labels.labelsOf('Issue', [issue.id])).get(issue.id) ?? [];
    return {
      object_kind: 'issue',
      user: this.users.user(authorOf(people, actorId)),
      project: this.projects.project(project),
      repository: this.projects.repository(project),
      object_attributes: {
        ...issueAttributes(issue),
        url: this.projects.url(project, 'issues', String(issue.iid)),
        action,
      },
      labels: labels.map(labelObject),
      ...this.users.assignee(people, issue.assigneeId),
    };
  }
}

/** What payloads tell of the issue itself. */
export function issueAttributes(issue: Issue): object {
  return {
    id: issue.id,
    iid: issue.iid,
    title: issue.title,
    assignee_id: issue.assigneeId,
    author_id: issue.authorId,
    project_id: issue.projectId,
    created_at: issue.createdAt,
    updated_at: issue.updatedAt,
    position: 0,
    branch_name: null,
    description: issue.description,
    milestone_id: issue.milestoneId,
    state: issue.state,
    updated_by_id: issue.updatedById,
    confidential: issue.confidential,
    deleted_at: null,
    due_date: issue.dueDate,
    moved_to_id: issue.movedToId,
    lock_version: 0,
  };
}
