import { Injectable } from '@nestjs/common';
import { type Label, LabelsRepository, LastActivities } from '../../../issuables/index.js';
import { presentTime } from '../../../issuables/v4/index.js';
import type { Issue, IssueChanged } from '../../../issues/index.js';
import type { PayloadProject } from '../../../projects/index.js';
import { PayloadsRepository } from '../../payloads/payloads.repository.js';
import {
  comparedValues,
  differences,
  type FieldChanges,
  firstValues,
  labelChanges,
  peopleChanges,
  stateChanges,
  stateId,
} from './changes.js';
import { formatTime, formatTimeOrNull, V4SharedObjects } from './shared-objects.js';

/** An issue with what its attributes show. */
interface PayloadIssue {
  readonly issue: Issue;
  readonly labels: readonly Label[];
  readonly attributes: object;
}

/** Builds the payloads of issues. See docs/reference/v4-hooks.md#issues. */
@Injectable()
export class V4IssuePayloadBuilder {
  constructor(
    private readonly payloads: PayloadsRepository,
    private readonly labels: LabelsRepository,
    private readonly activities: LastActivities,
    private readonly objects: V4SharedObjects,
  ) {}

  /** Null when issue or project no longer exist. */
  async buildIssue(event: IssueChanged): Promise<object | null> {
    const project = await this.objects.findProject(event.projectId);
    const found = project && (await this.find(event.issueId, project, event.action === 'close'));
    if (project === null || found === null) return null;
    const { issue, labels, attributes } = found;
    const { before } = event.update;
    const users = await this.objects.findUsers([
      event.actorId,
      ...issue.assigneeIds,
      ...(before?.assigneeIds ?? []),
    ]);
    const people = (ids: readonly number[]): object[] => this.objects.people(users, ids);
    const assignees = people(issue.assigneeIds);
    const [assignee] = assignees;
    return {
      object_kind: 'issue',
      event_type: issue.confidential ? 'confidential_issue' : 'issue',
      user: this.objects.author(users, event.actorId),
      project: this.objects.project(project),
      object_attributes: { ...attributes, action: event.action },
      labels: labels.map((label) => this.objects.label(label)),
      changes: {
        ...changesOf(event, issue),
        ...peopleChanges('assignees', before?.assigneeIds, issue.assigneeIds, people),
        ...labelChanges(labels, event.update.labels, this.objects),
      },
      repository: this.objects.repository(project),
      assignees,
      ...(assignee === undefined ? {} : { assignee }),
    };
  }

  /** The issue as it is now; null when it no longer exists. @param isClosing whether it was closed just now */
  async find(id: number, project: PayloadProject, isClosing = false): Promise<PayloadIssue | null> {
    const issue = await this.payloads.findIssue(id);
    if (issue === null) return null;
    const labels = (await this.labels.labelsOf('Issue', [id])).get(id) ?? [];
    const closedAt = issue.state === 'closed' ? await this.closedAt(issue, isClosing) : null;
    const attributes = {
      author_id: issue.authorId,
      closed_at: formatTimeOrNull(closedAt),
      confidential: issue.confidential,
      created_at: formatTime(issue.createdAt),
      description: issue.description,
      discussion_locked: issue.discussionLocked,
      due_date: issue.dueDate,
      id: issue.id,
      iid: issue.iid,
      last_edited_at: null,
      last_edited_by_id: null,
      milestone_id: issue.milestoneId,
      moved_to_id: issue.movedToId,
      duplicated_to_id: null,
      project_id: issue.projectId,
      relative_position: null,
      state_id: stateId(issue.state),
      title: issue.title,
      updated_at: formatTime(issue.updatedAt),
      updated_by_id: issue.updatedById,
      type: 'Issue',
      url: this.objects.url(project, 'issues', String(issue.iid)),
      ...presentTime(issue),
      time_change: 0,
      human_time_change: null,
      assignee_ids: issue.assigneeIds,
      assignee_id: issue.assigneeIds[0] ?? null,
      labels: labels.map((label) => this.objects.label(label)),
      state: issue.state,
      severity: 'unknown',
    };
    return { issue, labels, attributes };
  }

  /** The activity of a closing is recorded after its event. */
  private async closedAt({ id, updatedAt }: Issue, isClosing: boolean): Promise<Date> {
    if (isClosing) return updatedAt;
    return (await this.activities.find('Issue', [id])).get(id)?.at ?? updatedAt;
  }
}

function changesOf({ action, update: { before } }: IssueChanged, issue: Issue): FieldChanges {
  if (action === 'open') {
    const { title, description, updatedAt, createdAt } = issue;
    return firstValues({
      author_id: issue.authorId,
      created_at: formatTime(createdAt),
      description,
      id: issue.id,
      iid: issue.iid,
      project_id: issue.projectId,
      title,
      updated_at: formatTime(updatedAt),
    });
  }
  if (before === undefined) return stateChanges(action);
  return differences(valuesOf(before), valuesOf(issue));
}

const valuesOf = (issue: Omit<Issue, 'deletedAt'>): object => ({
  ...comparedValues(issue),
  confidential: issue.confidential,
  discussion_locked: issue.discussionLocked,
  due_date: issue.dueDate,
});
