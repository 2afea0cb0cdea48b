import { Injectable } from '@nestjs/common';
import { Database, opaqueArray } from '../../../platform/database/index.js';
import type { Subject } from '../../access/index.js';
import { authorOf, type User, UsersRepository } from '../../users/index.js';
import { ISSUABLE_TABLES, type Issuable, type IssuableType } from '../kinds/issuable.js';
import type { Label } from '../labels/label.entity.js';
import { byTarget } from '../labels/labels.repository.js';
import type { Milestone } from '../milestones/milestone.entity.js';
import { findMilestones } from '../milestones/milestones.repository.js';
import { hideReferences, type MovedReferences } from '../references/moved-references.js';
import { ReferenceResolver } from '../references/reference-resolver.js';
import { participates } from '../todos/subscriptions.repository.js';

/** The counters of an issue or merge request that its response embeds, as one reader sees them. */
interface Counters {
  upvotes: number;
  downvotes: number;
  /** Without system notes. */
  userNotesCount: number;
  /** Whether the reader is subscribed. */
  subscribed: boolean;
}

/** The relations that responses of an issue or merge request embed, as one reader sees them. */
interface EmbeddedRelations {
  /** By name. */
  labels: readonly Pick<Label, 'name'>[];
  milestone: Milestone | null;
  /** The ghost account if the author was deleted. */
  author: User;
  assignee: User | null;
  counters: Counters;
}

/** The columns of an issue or merge request that its relations depend on. */
export interface RelatedRow {
  readonly id: number;
  readonly authorId: number;
  readonly assigneeId: number | null;
  readonly milestoneId: number | null;
  readonly description: string | null;
  /** The references in the description that moves have expanded; merge requests do not move. */
  readonly movedReferences?: readonly MovedReferences[] | null;
}

/** An issue or merge request with its relations. References that the reader may not see are hidden in its description. */
export interface WithRelations<Row extends RelatedRow> extends EmbeddedRelations {
  issuable: Row;
}

/** Counters of an issue or merge request without notes, awards and subscribers. */
const NO_COUNTERS: Counters = { upvotes: 0, downvotes: 0, userNotesCount: 0, subscribed: false };

/** Counters of a new issue or merge request, as its author sees them: authors are subscribed. */
export const INITIAL_COUNTERS: Counters = { ...NO_COUNTERS, subscribed: true };

/**
 * Loads the relations (author, assignee, labels, milestone, counters) that responses of issues and merge requests
 * embed, and hides the references in descriptions that the reader may not see. It removes the relations of deleted ones.
 */
@Injectable()
export class IssuableRelations {
  constructor(
    private readonly database: Database,
    private readonly users: UsersRepository,
    private readonly references: ReferenceResolver,
  ) {}

  async loadOne<Row extends RelatedRow>(
    type: IssuableType,
    row: Row,
    reader: Subject,
  ): Promise<WithRelations<Row>> {
    const [issuable = row] = await this.hideReferences([row], reader);
    const relationsOf = await this.load(type, [row], reader);
    return { issuable, ...relationsOf(row) };
  }

  /** Loads the relations of several with one statement per kind of relation. */
  async loadAll<Row extends RelatedRow>(
    type: IssuableType,
    rows: readonly Row[],
    reader: Subject,
  ): Promise<WithRelations<Row>[]> {
    if (rows.length === 0) return [];
    const shown = await this.hideReferences(rows, reader);
    const relationsOf = await this.load(type, rows, reader);
    return shown.map((issuable) => ({ issuable, ...relationsOf(issuable) }));
  }

  /**
   * Removes the todos, subscriptions, label links and awards of an issue or merge request that is deleted. Its notes
   * and events stay (docs/reference/issues.md#delete-projectsidissuesissue_id).
   */
  async removeAll({ type, id }: Pick<Issuable, 'type' | 'id'>): Promise<void> {
    for (const statement of REMOVALS) await this.database.rows(statement, [type, id]);
  }

  private async load(
    type: IssuableType,
    rows: readonly RelatedRow[],
    reader: Subject,
  ): Promise<(row: RelatedRow) => EmbeddedRelations> {
    const ids = rows.map(({ id }) => id);
    const people = await this.users.findAuthors(
      rows.flatMap(({ authorId, assigneeId }) => present(authorId, assigneeId)),
    );
    const labels = await this.loadLabels(type, ids);
    const milestones = await findMilestones(this.database, [
      ...new Set(rows.flatMap(({ milestoneId }) => present(milestoneId))),
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

  private async hideReferences<Row extends RelatedRow>(
    rows: readonly Row[],
    reader: Subject,
  ): Promise<readonly Row[]> {
    if (rows.every(({ movedReferences }) => !movedReferences)) return rows;
    const hides = await this.references.findHidden(rows, reader);
    return rows.map((row) => {
      const { description: text, movedReferences: moved } = row;
      if (text === null || !moved) return row;
      return { ...row, description: hideReferences({ text, moved }, hides) };
    });
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

const REMOVALS = [
  'DELETE FROM todos WHERE target_type = $1 AND target_id = $2',
  'DELETE FROM subscriptions WHERE target_type = $1 AND target_id = $2',
  'DELETE FROM label_links WHERE target_type = $1 AND target_id = $2',
  'DELETE FROM award_emoji WHERE awardable_type = $1 AND awardable_id = $2',
];

/** Selects the names of the labels of issuables. @param $1 kind @param $2 IDs */
const LABEL_NAMES = `
  SELECT link.target_id AS "targetId", label.name
    FROM label_links link JOIN labels label ON label.id = link.label_id
   WHERE link.target_type = $1 AND link.target_id = ANY(${opaqueArray('$2', 'int')})
   ORDER BY label.name`;

/** Selects the counters of issuables. @param $1 kind @param $2 IDs @param $3 the reader's user ID or null */
const countersSql = (table: string): string => `
  SELECT t.id, t.upvotes, t.downvotes, t.user_notes_count AS "userNotesCount",
         coalesce(
           (SELECT s.subscribed FROM subscriptions s
             WHERE s.target_type = $1::varchar AND s.target_id = t.id AND s.user_id = $3::int),
           ${participates('t', '$1::varchar', '$3::int')}, false) AS subscribed
    FROM ${table} t
   WHERE t.id = ANY(${opaqueArray('$2', 'int')})`;
