import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/index.js';
import type { Subject } from '../../access/index.js';
import {
  type EmbeddedRelations,
  HiddenReferences,
  hideReferences,
  IssuableRelations,
} from '../../issuables/index.js';
import { UsersRepository } from '../../users/index.js';
import type { LocatedIssue } from '../model/issues.repository.js';

/** An issue with the relations that its response embeds, as one reader sees them. */
export interface IssueWithRelations extends EmbeddedRelations {
  issue: LocatedIssue;
}

/**
 * Loads the relations (author, assignee, labels, milestone, counters) that issue responses embed, and hides the
 * references in descriptions that the reader may not see.
 */
@Injectable()
export class IssueRelations extends IssuableRelations {
  constructor(
    database: Database,
    users: UsersRepository,
    private readonly hidden: HiddenReferences,
  ) {
    super(database, users);
  }

  async loadOne(issue: LocatedIssue, reader: Subject): Promise<IssueWithRelations> {
    const relationsOf = await this.load('Issue', [issue], reader);
    const [shown = issue] = await this.hideReferences([issue], reader);
    return { issue: shown, ...relationsOf(issue) };
  }

  /** Loads the relations of several issues with one statement per kind of relation. */
  async loadAll(issues: readonly LocatedIssue[], reader: Subject): Promise<IssueWithRelations[]> {
    if (issues.length === 0) return [];
    const relationsOf = await this.load('Issue', issues, reader);
    const shown = await this.hideReferences(issues, reader);
    return shown.map((issue) => ({ issue, ...relationsOf(issue) }));
  }

  private async hideReferences(
    issues: readonly LocatedIssue[],
    reader: Subject,
  ): Promise<readonly LocatedIssue[]> {
    if (issues.every(({ movedReferences }) => movedReferences === null)) return issues;
    const hides = await this.hidden.from(issues, reader);
    return issues.map((issue) => {
      const { description, movedReferences: moved } = issue;
      if (description === null || moved === null) return issue;
      return { ...issue, description: hideReferences({ text: description, moved }, hides) };
    });
  }
}
