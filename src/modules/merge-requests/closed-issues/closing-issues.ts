import { Injectable } from '@nestjs/common';
import type { ProjectRef, Subject } from '../../access/index.js';
import { type Referenced, ReferenceResolver } from '../../issuables/index.js';
import { ForkLinksRepository } from '../../projects/index.js';
import type { LocatedMergeRequest } from '../merge-requests.repository.js';
import { CommitMessages } from './commit-messages.js';

/** The issues that merge requests close (docs/reference/references.md#closing-references). */
@Injectable()
export class ClosingIssues {
  constructor(
    private readonly messages: CommitMessages,
    private readonly references: ReferenceResolver,
    private readonly forks: ForkLinksRepository,
  ) {}

  /**
   * Those that description and commits say it closes and that the reader may read, the ones of its own
   * project first, by number; none unless it is to be merged into the default branch.
   * @param project the target project
   */
  async of(
    mergeRequest: LocatedMergeRequest,
    project: ProjectRef,
    reader: Subject,
  ): Promise<Referenced[]> {
    if (mergeRequest.targetBranch !== project.defaultBranch) return [];
    const texts = [
      mergeRequest.description ?? '',
      ...(await this.messages.of(mergeRequest, project)),
    ];
    const closing = texts.filter((text) => this.references.mayClose([text]));
    const read = (await this.references.read(closing)).map(({ closings }) => closings);
    if (read.every((references) => references.length === 0)) return [];
    const found = (await this.references.findEach(read, project, reader)).flat();
    const source = await this.forks.sourceOf(project.id);
    // A fork does not close issues of the project that it was forked from.
    return [...new Set(found)]
      .filter(({ issuable }) => issuable.projectId !== source)
      .sort((a, b) => rank(a, project) - rank(b, project) || a.issuable.iid - b.issuable.iid);
  }
}

/** Of the project itself first, then in the order in which the others were made. */
const rank = ({ issuable }: Referenced, { id }: ProjectRef): number =>
  issuable.projectId === id ? 0 : issuable.projectId;
