import { Injectable } from '@nestjs/common';
import type { Subject } from '../access/index.js';
import { authorOf, type User, UsersRepository } from '../users/index.js';
import { type Facts, IssuableFacts } from './issuable-facts.js';
import type { IssuableType } from './issuable.js';
import { LabelLinks } from './labels/label-links.js';
import type { Label } from './labels/label.entity.js';
import type { Milestone } from './milestones/milestone.entity.js';
import { MilestonesRepository } from './milestones/milestones.repository.js';

/** What the answer of an issue or merge request embeds, as one reader gets it. */
export interface Parts {
  /** By name. */
  labels: readonly Pick<Label, 'name'>[];
  milestone: Milestone | null;
  /** The ghost in the place of a deleted account. */
  author: User;
  assignee: User | null;
  facts: Facts;
}

/** What of an issue or merge request refers to its parts. */
export interface Composed {
  readonly id: number;
  readonly authorId: number;
  readonly assigneeId: number | null;
  readonly milestoneId: number | null;
}

/** What nobody has said anything of yet. */
const NO_FACTS: Facts = { upvotes: 0, downvotes: 0, userNotesCount: 0, subscribed: false };

/** What can be said of one that was made at this moment: its author takes part in it. */
export const FIRST_FACTS: Facts = { ...NO_FACTS, subscribed: true };

/** Finds what the answers of issues and merge requests embed. */
@Injectable()
export class IssuableParts {
  constructor(
    private readonly users: UsersRepository,
    private readonly labels: LabelLinks,
    private readonly milestones: MilestonesRepository,
    private readonly facts: IssuableFacts,
  ) {}

  /** One statement for each kind of part, however many there are. */
  async of(
    type: IssuableType,
    issuables: readonly Composed[],
    reader: Subject,
  ): Promise<(issuable: Composed) => Parts> {
    const ids = issuables.map(({ id }) => id);
    const people = await this.users.findAuthors(
      issuables.flatMap(({ authorId, assigneeId }) => present(authorId, assigneeId)),
    );
    const labels = await this.labels.namesOf(type, ids);
    const milestones = await this.milestones.findByIds([
      ...new Set(issuables.flatMap(({ milestoneId }) => present(milestoneId))),
    ]);
    const facts = await this.facts.of(type, ids, reader?.id ?? null);
    return ({ id, authorId, assigneeId, milestoneId }) => {
      const assignee = people.get(assigneeId ?? 0) ?? null;
      return {
        labels: labels.get(id) ?? [],
        milestone: milestones.get(milestoneId ?? 0) ?? null,
        author: authorOf(people, authorId),
        // Nobody is left to work on what was a deleted account's.
        assignee: assignee?.ghost === true ? null : assignee,
        facts: facts.get(id) ?? NO_FACTS,
      };
    };
  }
}

const present = (...ids: (number | null)[]): number[] => ids.filter((id) => id !== null);
