import { Injectable } from '@nestjs/common';
import { notFound } from '../../../platform/errors/index.js';
import type { ProjectRef } from '../../access/index.js';
import {
  LabelLinks,
  LabelsRepository,
  type Milestone,
  MilestonesRepository,
  type MovableText,
  Triage,
} from '../../issuables/index.js';
import { IssuesRepository, type LocatedIssue } from '../issues.repository.js';

/** Makes an issue like another one in a different project, by the names that things have there. */
@Injectable()
export class IssueCopies {
  constructor(
    private readonly issues: IssuesRepository,
    private readonly triage: Triage,
    private readonly labels: LabelsRepository,
    private readonly links: LabelLinks,
    private readonly milestones: MilestonesRepository,
  ) {}

  /** @throws DomainError not found when the project is gone, or has no issues any more */
  async make(
    source: LocatedIssue,
    description: MovableText | null,
    project: ProjectRef,
  ): Promise<LocatedIssue> {
    const assignee = await this.triage.assignee(project, source.assigneeId);
    const milestone = await this.milestoneIn(project, source);
    const labels = await this.labelsIn(project, source);
    const copy = await this.issues.insert({
      projectId: project.id,
      authorId: source.authorId,
      assigneeId: assignee?.id ?? null,
      milestoneId: milestone?.id ?? null,
      title: source.title,
      description: description?.text ?? null,
      movedReferences: description?.moved && [...description.moved],
      state: source.state,
      confidential: source.confidential,
      dueDate: source.dueDate,
      createdAt: source.createdAt,
    });
    if (copy === null) throw notFound('Project');
    if (labels.length > 0) await this.links.replace({ type: 'Issue', id: copy.id }, labels);
    return copy;
  }

  private async milestoneIn(
    { id }: ProjectRef,
    { milestoneId }: LocatedIssue,
  ): Promise<Milestone | null> {
    if (milestoneId === null) return null;
    const milestone = (await this.milestones.findByIds([milestoneId])).get(milestoneId);
    return milestone === undefined ? null : this.milestones.holdByTitle(id, milestone.title);
  }

  private async labelsIn({ id }: ProjectRef, source: LocatedIssue): Promise<number[]> {
    const labels = (await this.links.labelsOf('Issue', [source.id])).get(source.id) ?? [];
    const names = labels.map(({ name }) => name);
    const found = await this.labels.resolve(id, names, { create: false });
    return found.map((label) => label.id);
  }
}
