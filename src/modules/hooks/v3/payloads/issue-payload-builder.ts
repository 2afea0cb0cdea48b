import { Injectable } from '@nestjs/common';
import { LabelsRepository } from '../../../issuables/index.js';
import type { Issue, IssueChanged } from '../../../issues/index.js';
import { ProjectPayloadBuilder } from '../../../projects/v3/index.js';
import { authorOf } from '../../../users/index.js';
import { PayloadsRepository } from '../../payloads/payloads.repository.js';
import { SharedObjects } from './shared-objects.js';

/** Builds the payloads of issues. See docs/reference/hooks.md#issues. */
@Injectable()
export class IssuePayloadBuilder {
  constructor(
    private readonly payloads: PayloadsRepository,
    private readonly labels: LabelsRepository,
    private readonly projects: ProjectPayloadBuilder,
    private readonly objects: SharedObjects,
  ) {}

  /** Null for confidential issues, and when issue or project no longer exist. */
  async buildIssue({ issueId, actorId, action }: IssueChanged): Promise<object | null> {
    const issue = await this.findPublicIssue(issueId);
    const project = issue && (await this.projects.find(issue.projectId));
    if (issue === null || project === null) return null;
    const [assigneeId = null] = issue.assigneeIds;
    const users = await this.objects.findUsers(actorId, assigneeId);
    const labels = (await this.labels.labelsOf('Issue', [issue.id])).get(issue.id) ?? [];
    return {
      object_kind: 'issue',
      user: this.objects.user(authorOf(users, actorId)),
      project: this.projects.project(project),
      repository: this.projects.repository(project),
      object_attributes: {
        ...issueAttributes(issue),
        url: this.projects.url(project, 'issues', String(issue.iid)),
        action,
      },
      labels: labels.map((label) => this.objects.label(label)),
      ...this.objects.assignee(users, assigneeId),
    };
  }

  /** The issue as it is now; null for confidential issues, which fire no hooks. */
  async findPublicIssue(id: number): Promise<Issue | null> {
    const issue = await this.payloads.findIssue(id);
    return issue === null || issue.confidential ? null : issue;
  }
}

/** The attributes of an issue that payloads of issues and of notes have in common. */
export function issueAttributes(issue: Issue): object {
  return {
    id: issue.id,
    iid: issue.iid,
    title: issue.title,
    assignee_id: issue.assigneeIds[0] ?? null,
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
