import { Injectable } from '@nestjs/common';
import type { Subject } from '../access/index.js';
import { HiddenReferences, hideReferences, IssuableParts, type Parts } from '../issuables/index.js';
import type { LocatedIssue } from './issues.repository.js';

/** An issue with what its answer embeds, as one reader gets it. */
export interface IssueWithParts extends Parts {
  issue: LocatedIssue;
}

/** Loads what answers about issues embed, and hides what the reader may not see of descriptions. */
@Injectable()
export class IssueParts {
  constructor(
    private readonly parts: IssuableParts,
    private readonly hidden: HiddenReferences,
  ) {}

  async ofOne(issue: LocatedIssue, reader: Subject): Promise<IssueWithParts> {
    const partsOf = await this.parts.of('Issue', [issue], reader);
    const [shown = issue] = await this.shown([issue], reader);
    return { issue: shown, ...partsOf(issue) };
  }

  /** One statement for each kind of part, however many issues there are. */
  async of(issues: readonly LocatedIssue[], reader: Subject): Promise<IssueWithParts[]> {
    if (issues.length === 0) return [];
    const partsOf = await this.parts.of('Issue', issues, reader);
    const shown = await this.shown(issues, reader);
    return shown.map((issue) => ({ issue, ...partsOf(issue) }));
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
