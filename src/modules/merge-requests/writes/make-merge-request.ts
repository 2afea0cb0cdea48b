import { Injectable } from '@nestjs/common';
import { notFound } from '../../../platform/errors/index.js';
import {
  INITIAL_COUNTERS,
  LabelLinksRepository,
  Triage,
  type TriageInput,
} from '../../issuables/index.js';
import type { User } from '../../users/index.js';
import { describedOf } from '../merge-request-kind.js';
import type { MergeRequestWithRelations } from '../merge-request-relations.js';
import { MergeRequestChanged } from '../merge-request.events.js';
import { MergeRequestsRepository } from '../merge-requests.repository.js';
import { MergeRequestVersions } from '../versions/merge-request-versions.js';
import type { Branches } from './branch-checks.js';
import { MergeRequestOutcome } from './merge-request-outcome.js';

/** A merge request that may be made as it stands here. */
export interface MergeRequestDraft extends Branches {
  author: User;
  title: string;
  description?: string | undefined;
  forceRemoveSourceBranch?: boolean | undefined;
  /** What the author may say. */
  triage: TriageInput;
}

/** Writes a new merge request with its first version, in the caller's unit of work. */
@Injectable()
export class MakeMergeRequest {
  constructor(
    private readonly triage: Triage,
    private readonly mergeRequests: MergeRequestsRepository,
    private readonly links: LabelLinksRepository,
    private readonly versions: MergeRequestVersions,
    private readonly outcome: MergeRequestOutcome,
  ) {}

  /** @throws DomainError not found for a target project that is gone */
  async run({
    source,
    target,
    author,
    triage,
    ...draft
  }: MergeRequestDraft): Promise<MergeRequestWithRelations> {
    const { assignee, milestone, labels } = await this.triage.resolve(target, triage);
    const made = await this.mergeRequests.insert({
      ...draft,
      projectId: target.id,
      sourceProjectId: source.id,
      authorId: author.id,
      assigneeId: assignee?.id ?? null,
      milestoneId: milestone?.id ?? null,
      description: draft.description ?? null,
      forceRemoveSourceBranch: draft.forceRemoveSourceBranch ?? false,
      forceRemoveById: draft.forceRemoveSourceBranch === true ? author.id : null,
      forceRemoveGiven: draft.forceRemoveSourceBranch !== undefined,
    });
    if (made === null) throw notFound('Project');
    const { id, projectId } = made;
    if (labels !== undefined && labels.length > 0) {
      const ids = labels.map((label) => label.id);
      await this.links.replace({ type: 'MergeRequest', id }, ids);
    }
    await this.versions.record(made);
    await this.outcome.recordCreation(target, describedOf(made), author);
    await this.outcome.done([new MergeRequestChanged(projectId, id, author.id, 'open')]);
    return {
      // With what the version has made of it.
      mergeRequest: (await this.mergeRequests.findIn(projectId, id)) ?? made,
      author,
      labels: labels ?? [],
      milestone: milestone ?? null,
      assignee: assignee ?? null,
      counters: INITIAL_COUNTERS,
    };
  }
}
