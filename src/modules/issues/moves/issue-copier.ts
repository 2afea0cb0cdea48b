import { Injectable } from '@nestjs/common';
import { notFound } from '../../../platform/errors/index.js';
import type { ProjectRef } from '../../access/index.js';
import {
  LabelLinksRepository,
  LabelsRepository,
  type Milestone,
  MilestonesRepository,
  Triage,
} from '../../issuables/index.js';
import { IssuesRepository, type LocatedIssue } from '../model/issues.repository.js';
import type { RewriteText } from './text-rewriter.js';

/** Copies issues into other projects, with the labels and the milestone that have the same names there. */
@Injectable()
export class IssueCopier {
  constructor(
    private readonly issues: IssuesRepository,
    private readonly triage: Triage,
    private readonly labels: LabelsRepository,
    private readonly links: LabelLinksRepository,
    private readonly milestones: MilestonesRepository,
  ) {}

  /** @throws DomainError not found if the project is deleted meanwhile, or has issues disabled */
  async copy(
    source: LocatedIssue,
    project: ProjectRef,
    rewrite: RewriteText,
  ): Promise<LocatedIssue> {
    const { description: text, movedReferences: moved } = source;
    const description = text === null ? null : await rewrite({ text, moved });
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
