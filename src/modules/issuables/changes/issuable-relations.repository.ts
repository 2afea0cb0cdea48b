import { Injectable } from '@nestjs/common';
import { Database, opaqueArray } from '../../../platform/database/index.js';
import type { Subject } from '../../access/index.js';
import { authorOf, type User, UsersRepository } from '../../users/index.js';
import { ISSUABLE_TABLES, type IssuableType } from '../kinds/issuable.js';
import { participates } from '../kinds/participation.sql.js';
import { byTarget } from '../labels/label-links.repository.js';
import type { Label } from '../labels/label.entity.js';
import type { Milestone } from '../milestones/milestone.entity.js';
import { findMilestones } from '../milestones/milestones.repository.js';

/** The counters of an issue or merge request that its response embeds, as one reader sees them. */
export interface Counters {
  upvotes: number;
  downvotes: number;
  /** Without system notes. */
  userNotesCount: number;
  /** Whether the reader is subscribed. */
  subscribed: boolean;
}

/** The relations that responses of an issue or merge request embed, as one reader sees them. */
export interface EmbeddedRelations {
  /** By name. */
  labels: readonly Pick<Label, 'name'>[];
  milestone: Milestone | null;
  /** The ghost account if the author was deleted. */
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
    private readonly database: Database,
    private readonly users: UsersRepository,
  ) {}

  /** Loads the relations of several issuables with one statement per kind of relation. @returns a look-up */
  async load(
    type: IssuableType,
    issuables: readonly RelationIds[],
    reader: Subject,
  ): Promise<(issuable: RelationIds) => EmbeddedRelations> {
    const ids = issuables.map(({ id }) => id);
    const people = await this.users.findAuthors(
      issuables.flatMap(({ authorId, assigneeId }) => present(authorId, assigneeId)),
    );
    const labels = await this.loadLabels(type, ids);
    const milestones = await findMilestones(this.database, [
      ...new Set(issuables.flatMap(({ milestoneId }) => present(milestoneId))),
    ]);
    const counters = await this.loadCounters(type, ids, reader?.id ?? null);
    return ({ id, authorId, assigneeId, milestoneId }) => {
      const assignee = people.get(assigneeId ?? 0) ?? null;
      return {
        labels: labels.get(id) ?? [],
        milestone: milestones.get(milestoneId ?? 0) ?? null,
        author: authorOf(people, authorId),
        // A deleted assignee is no assignee.
        assignee: assignee?.ghost === true ? null : assignee,
        counters: counters.get(id) ?? NO_COUNTERS,
      };
    };
  }

  private async loadLabels(
    type: IssuableType,
    ids: readonly number[],
  ): Promise<ReadonlyMap<number, readonly Pick<Label, 'name'>[]>> {
    const rows = await this.database.rows<{ targetId: number; name: string }>(LABEL_NAMES, [
      ...[type, ids],
    ]);
    return byTarget(rows);
  }

  private async loadCounters(
    type: IssuableType,
    ids: readonly number[],
    readerId: number | null,
  ): Promise<ReadonlyMap<number, Counters>> {
    if (ids.length === 0) return new Map();
    const rows = await this.database.rows<Counters & { id: number }>(
      countersSql(ISSUABLE_TABLES[type]),
      [...[type, [...ids], readerId]],
    );
    return new Map(rows.map(({ id, ...counters }) => [id, counters]));
  }
}

const present = (...ids: (number | null)[]): number[] => ids.filter((id) => id !== null);

/** Selects the names of the labels of issuables. @param $1 kind @param $2 IDs */
const LABEL_NAMES = `
  SELECT link.target_id AS "targetId", label.name
    FROM label_links link JOIN labels label ON label.id = link.label_id
   WHERE link.target_type = $1 AND link.target_id = ANY(${opaqueArray('$2', 'int')})
   ORDER BY label.name`;

/** Selects the counters of issuables. @param $1 kind @param $2 IDs @param $3 the reader's user ID or null */
const countersSql = (table: string): string => `
  SELECT t.id, votes.up AS upvotes, votes.down AS downvotes,
         (SELECT count(*)::int FROM notes n
           WHERE n.noteable_type = $1::varchar AND n.noteable_id = t.id AND NOT n.system) AS "userNotesCount",
         coalesce(
           (SELECT s.subscribed FROM subscriptions s
             WHERE s.target_type = $1::varchar AND s.target_id = t.id AND s.user_id = $3::int),
           ${participates('t', '$1::varchar', '$3::int')}, false) AS subscribed
    FROM ${table} t
    CROSS JOIN LATERAL (
      SELECT count(*) FILTER (WHERE a.name = 'thumbsup')::int AS up,
             count(*) FILTER (WHERE a.name = 'thumbsdown')::int AS down
        FROM award_emoji a
       WHERE a.awardable_type = $1::varchar AND a.awardable_id = t.id
         AND a.name IN ('thumbsup', 'thumbsdown')) votes
   WHERE t.id = ANY(${opaqueArray('$2', 'int')})`;
