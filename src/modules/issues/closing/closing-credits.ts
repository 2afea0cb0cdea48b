import { Injectable } from '@nestjs/common';
import type { Closing } from '../writes/close-issue.js';

/** What else has a branch's newest commits close issues: the closings that it is to be credited with. */
type CreditSource = (projectId: number, branch: string) => Promise<readonly Closing[]>;

/**
 * Tells which issues are closed by more than the commits that say so: the merge of a merge request brings
 * its commits along, and the issues are closed in its name. The room above registers the source.
 */
@Injectable()
export class ClosingCredits {
  private source: CreditSource = () => Promise.resolve([]);

  register(source: CreditSource): void {
    this.source = source;
  }

  /** By the ID of the issue. */
  async of(projectId: number, branch: string): Promise<ReadonlyMap<number, Closing>> {
    const closings = await this.source(projectId, branch);
    return new Map(closings.map((closing) => [closing.issueId, closing]));
  }
}
