import { Injectable } from '@nestjs/common';
import type { Subject } from '../access/index.js';
import { authorOf, type User, UsersRepository } from '../users/index.js';
import { type Counters, IssuableCounters } from './issuable-counters.js';
import type { IssuableType } from './issuable.js';
import { LabelLinks } from './labels/label-links.js';
import type { Label } from './labels/label.entity.js';
import type { Milestone } from './milestones/milestone.entity.js';
import { MilestonesRepository } from './milestones/milestones.repository.js';

/** The relations that responses of an issue or merge request embed, as one reader sees them. */
export interface EmbeddedRelations {
  /** By name. */
  labels: readonly Pick<Label, 'name'>[];
  milestone: Milestone | null;
  /** The ghost account when the author was deleted. */
  author: User;
  assignee: User | null;
  counters: Counters;
}

/** The IDs by which an issue or merge request refers to its relations. */
export interface RelationIds {
  readonly id: number;
  readonly authorId: number;
  readonly assigneeId: number | null;
  readonly milestoneId: number | null;
}

/** Counters of an issue or merge request without notes, awards and subscribers. */
const NO_COUNTERS: Counters = { upvotes: 0, downvotes: 0, userNotesCount: 0, subscribed: false };

/** Counters of a new issue or merge request, as its author sees them: authors are subscribed. */
export const INITIAL_COUNTERS: Counters = { ...NO_COUNTERS, subscribed: true };

/** Loads the relations that responses of issues and merge requests embed. */
@Injectable()
export class IssuableRelations {
  constructor(
    private readonly users: UsersRepository,
    private readonly labels: LabelLinks,
    private readonly milestones: MilestonesRepository,
    private readonly counters: IssuableCounters,
  ) {}

  /** Loads the relations of a page with one statement per kind. @returns a look-up by issuable */
  async load(
    type: IssuableType,
    issuables: readonly RelationIds[],
    reader: Subject,
  ): Promise<(issuable: RelationIds) => EmbeddedRelations> {
    const ids = issuables.map(({ id }) => id);
    const people = await this.users.findAuthors(
      issuables.flatMap(({ authorId, assigneeId }) => present(authorId, assigneeId)),
    );
    const labels = await this.labels.namesOf(type, ids);
    const milestones = await this.milestones.findByIds([
      ...new Set(issuables.flatMap(({ milestoneId }) => present(milestoneId))),
    ]);
    const counters = await this.counters.load(type, ids, reader?.id ?? null);
    return ({ id, authorId, assigneeId, milestoneId }) => {
      const assignee = people.get(assigneeId ?? 0) ?? null;
      return {
        labels: labels.get(id) ?? [],
        milestone: milestones.get(milestoneId ?? 0) ?? null,
        author: authorOf(people, authorId),
        // The ghost account works on nothing.
        assignee: assignee?.ghost === true ? null : assignee,
        counters: counters.get(id) ?? NO_COUNTERS,
      };
    };
  }
}

const present = (...ids: (number | null)[]): number[] => ids.filter((id) => id !== null);
