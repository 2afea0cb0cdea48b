import { Injectable } from '@nestjs/common';
import type { Subject } from '../access/index.js';
import { IssuableParts, type Parts } from '../issuables/index.js';
import type { LocatedIssue } from './issues.repository.js';

/** An issue with what its answer embeds, as one reader gets it. */
export interface IssueWithParts extends Parts {
  issue: LocatedIssue;
}

/** Puts issues together with what their answers embed. */
@Injectable()
export class IssueParts {
  constructor(private readonly parts: IssuableParts) {}

  async ofOne(issue: LocatedIssue, reader: Subject): Promise<IssueWithParts> {
    return { issue, ...(await this.parts.of('Issue', [issue], reader))(issue) };
  }

  /** One statement for each kind of part, however many issues there are. */
  async of(issues: readonly LocatedIssue[], reader: Subject): Promise<IssueWithParts[]> {
    if (issues.length === 0) return [];
    const partsOf = await this.parts.of('Issue', issues, reader);
    return issues.map((issue) => ({ issue, ...partsOf(issue) }));
  }
}
