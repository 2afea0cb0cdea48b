import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import { issuableOf } from '../issue-kind.js';
import { IssueChanged } from '../issue.events.js';
import { IssueChanges } from './issue-changes.js';
import { IssueOutcome } from './issue-outcome.js';

export interface Closing {
  projectId: number;
  issueId: number;
  /** Author of the note and of the event. */
  actorId: number;
  /** What closes it, as its note is to say: `commit …` with the whole hash, `merge request !5`. */
  via: string;
}

/** Closes issues for what was pushed or merged; who may do that is the caller's to ask. */
@Injectable()
export class CloseIssue {
  constructor(
    private readonly work: UnitOfWork,
    private readonly changes: IssueChanges,
    private readonly outcome: IssueOutcome,
  ) {}

  /** @returns false for an issue that is closed already, or gone */
  async run({ projectId, issueId, actorId, via }: Closing): Promise<boolean> {
    return this.work.run(async () => {
      const before = await this.changes.lock(projectId, issueId);
      if (before === null || before.state === 'closed') return false;
      const change = { before, after: { ...before, state: 'closed' as const }, via };
      const after = await this.changes.write(change, actorId);
      await this.outcome.acted(issuableOf(after), actorId);
      await this.outcome.done([new IssueChanged(projectId, issueId, actorId, 'close')]);
      return true;
    });
  }
}
