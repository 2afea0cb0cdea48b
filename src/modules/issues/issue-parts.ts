import { Injectable } from '@nestjs/common';
import type { Subject } from '../access/index.js';
import {
  type Facts,
  IssuableFacts,
  type Label,
  LabelLinks,
  type Milestone,
  MilestonesRepository,
} from '../issuables/index.js';
import { authorOf, type User, UsersRepository } from '../users/index.js';
import type { LocatedIssue } from './issues.repository.js';

/** An issue with what its answer embeds, as one reader gets it. */
export interface IssueWithParts {
  issue: LocatedIssue;
  /** By name. */
  labels: readonly Label[];
  milestone: Milestone | null;
  /** The ghost in the place of a deleted account. */
  author: User;
  assignee: User | null;
  facts: Facts;
}

/** What nobody has said anything of yet. */
const NO_FACTS: Facts = { upvotes: 0, downvotes: 0, userNotesCount: 0, subscribed: false };

/** Puts issues together with what their answers embed. */
@Injectable()
export class IssueParts {
  constructor(
    private readonly users: UsersRepository,
    private readonly labels: LabelLinks,
    private readonly milestones: MilestonesRepository,
    private readonly facts: IssuableFacts,
  ) {}

  async ofOne(issue: LocatedIssue, reader: Subject): Promise<IssueWithParts> {
    const [parts] = await this.of([issue], reader);
    if (parts === undefined) throw new Error(`Issue ${issue.id} has no parts`);
    return parts;
  }

  /** One statement for each kind of part, however many issues there are. */
  async of(issues: readonly LocatedIssue[], reader: Subject): Promise<IssueWithParts[]> {
    if (issues.length === 0) return [];
    const ids = issues.map(({ id }) => id);
    const people = await this.users.findAuthors(
      issues.flatMap(({ authorId, assigneeId }) => present(authorId, assigneeId)),
    );
    const labels = await this.labels.labelsOf('Issue', ids);
    const milestones = await this.milestones.findByIds([
      ...new Set(issues.flatMap(({ milestoneId }) => present(milestoneId))),
    ]);
    const facts = await this.facts.of('Issue', ids, reader?.id ?? null);
    return issues.map((issue) => {
      const author = authorOf(people, issue.authorId);
      const assignee = people.get(issue.assigneeId ?? 0) ?? null;
      return {
        issue,
        labels: labels.get(issue.id) ?? [],
        milestone: milestones.get(issue.milestoneId ?? 0) ?? null,
        author,
        // Nobody is left to work on what was a deleted account's.
        assignee: assignee?.ghost === true ? null : assignee,
        facts: facts.get(issue.id) ?? NO_FACTS,
      };
    });
  }
}

const present = (...ids: (number | null)[]): number[] => ids.filter((id) => id !== null);
