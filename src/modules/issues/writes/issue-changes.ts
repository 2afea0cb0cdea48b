import { Injectable } from '@nestjs/common';
import { LabelLinks, SystemNotes } from '../../issuables/index.js';
import { IssueCounts } from '../issue-counts.js';
import { IssuesRepository, type LocatedIssue } from '../issues.repository.js';
import { type Change, changeTexts } from './change-texts.js';

/** Writes changes of single issues, with the notes and counts that follow from them. */
@Injectable()
export class IssueChanges {
  constructor(
    private readonly issues: IssuesRepository,
    private readonly notes: SystemNotes,
    private readonly links: LabelLinks,
    private readonly counts: IssueCounts,
  ) {}

  /** Null for what is not in the project; nobody else changes it until the unit of work ends. */
  lock(projectId: number, id: number): Promise<LocatedIssue | null> {
    return this.issues.lockIn(projectId, id);
  }

  /**
   * Writes what an issue is to be that the unit of work has locked.
   * @param updatedAt now when absent
   * @returns the issue as it is then
   */
  async write(change: Change, actorId: number, updatedAt?: Date): Promise<LocatedIssue> {
    const { id, projectId } = change.after;
    for (const text of changeTexts(change)) {
      await this.notes.write({ type: 'Issue', id, projectId }, actorId, text);
    }
    return this.writeSilently(change, actorId, updatedAt);
  }

  /** As `write`, without notes. */
  async writeSilently(
    { before, after }: Pick<Change, 'before' | 'after'>,
    actorId: number,
    updatedAt?: Date,
  ): Promise<LocatedIssue> {
    const at = await this.issues.update(after, actorId, updatedAt ?? null);
    if (before.state !== after.state || before.confidential !== after.confidential) {
      await this.links.follow({ type: 'Issue', id: after.id });
    }
    await this.counts.follow(before, after);
    return { ...after, updatedById: actorId, updatedAt: at };
  }

  /** Hides an issue that the unit of work has locked from everybody, and counts it no more. */
  async remove(issue: LocatedIssue): Promise<void> {
    await this.issues.markDeleted(issue.id);
    await this.counts.follow(issue, null);
  }
}
