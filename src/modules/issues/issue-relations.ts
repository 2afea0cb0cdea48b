import { Injectable } from '@nestjs/common';
import type { Subject } from '../access/index.js';
import {
  HiddenReferences,
  hideReferences,
  IssuableRelations,
  type EmbeddedRelations,
} from '../issuables/index.js';
import type { LocatedIssue } from './issues.repository.js';

/** An issue with the relations that its response embeds, as one reader sees them. */
export interface IssueWithRelations extends EmbeddedRelations {
  issue: LocatedIssue;
}

/**
 * Loads the relations (author, assignee, labels, milestone, counters) that issue responses embed, and hides the
 * references in descriptions that the reader may not see.
 */
@Injectable()
export class IssueRelations {
  constructor(
    private readonly relations: IssuableRelations,
    private readonly hidden: HiddenReferences,
  ) {}

  async loadOne(issue: LocatedIssue, reader: Subject): Promise<IssueWithRelations> {
    const relationsOf = await this.relations.load('Issue', [issue], reader);
    const [shown = issue] = await this.shown([issue], reader);
    return { issue: shown, ...relationsOf(issue) };
  }

  /** Loads the relations of a page with one statement per kind. */
  async load(issues: readonly LocatedIssue[], reader: Subject): Promise<IssueWithRelations[]> {
    if (issues.length === 0) return [];
    const relationsOf = await this.relations.load('Issue', issues, reader);
    const shown = await this.shown(issues, reader);
    return shown.map((issue) => ({ issue, ...relationsOf(issue) }));
  }

  private async shown(
    issues: readonly LocatedIssue[],
    reader: Subject,
  ): Promise<readonly LocatedIssue[]> {
    const hides = await this.hidden.from(issues, reader);
    return issues.map((issue) => {
      const { description, movedReferences: moved } = issue;
      if (description === null || moved === null) return issue;
      return { ...issue, description: hideReferences({ text: description, moved }, hides) };
    });
  }
}
