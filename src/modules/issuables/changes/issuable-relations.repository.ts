import { Injectable } from '@nestjs/common';
import { Database, type EntityColumns, opaqueArray } from '../../../platform/database/index.js';
import type { Subject } from '../../access/index.js';
import { authorOf, SUMMARY_COLUMNS, type SummarizedUser, User } from '../../users/index.js';
import { ISSUABLE_TABLES, type Issuable, type IssuableType } from '../kinds/issuable.js';
import type { Label } from '../labels/label.entity.js';
import { byTarget } from '../labels/labels.repository.js';
import { Milestone } from '../milestones/milestone.entity.js';
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
  author: SummarizedUser;
  assignee: SummarizedUser | null;
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
  private known: RelatedColumns | undefined;

  constructor(
    private readonly database: Database,
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

  /** Loads the relations of several with one statement. */
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
    const { people, milestones, labels, counters } = await this.loadRows(type, rows, reader);
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

  private async loadRows(type: IssuableType, rows: readonly RelatedRow[], reader: Subject) {
    const columns = this.columns();
    const people = distinct(rows.flatMap(({ authorId, assigneeId }) => [authorId, assigneeId]));
    const [loaded] = await this.database.rows<LoadedRelations>(
      relationsStatement(ISSUABLE_TABLES[type], columns),
      [
        ...[type, rows.map(({ id }) => id), reader?.id ?? null],
        ...[people, distinct(rows.map(({ milestoneId }) => milestoneId))],
      ],
    );
    const { people: found, milestones, labels, counters } = loaded ?? NOTHING_LOADED;
    const byId = new Map(found?.map((user) => [user.id, user]));
    const ghost = found?.find((user) => user.ghost);
    return {
      people: new Map(
        people.flatMap((id) => {
          const user = byId.get(id) ?? ghost;
          return user === undefined ? [] : [[id, user] as const];
        }),
      ),
      milestones: new Map(milestones?.map((one) => [one.id, columns.milestones.revive(one)])),
      labels: byTarget(labels ?? []),
      counters: new Map(counters?.map(({ id, ...others }) => [id, others])),
    };
  }

  private columns(): RelatedColumns {
    this.known ??= {
      people: this.database.columns(User).only(SUMMARY_COLUMNS),
      milestones: this.database.columns(Milestone),
    };
    return this.known;
  }
}

interface RelatedColumns {
  readonly people: EntityColumns<SummarizedUser>;
  readonly milestones: EntityColumns<Milestone>;
}

/** The row of the statement: a list of each kind of relation, null if it is empty. */
interface LoadedRelations {
  /** The ghost account among them. */
  people: SummarizedUser[] | null;
  milestones: Milestone[] | null;
  labels: { targetId: number; name: string }[] | null;
  counters: (Counters & { id: number })[] | null;
}

const NOTHING_LOADED: LoadedRelations = {
  ...{ people: null, milestones: null, labels: null, counters: null },
};

const distinct = (ids: readonly (number | null)[]): number[] => [
  ...new Set(ids.filter((id) => id !== null)),
];

const REMOVALS = [
  'DELETE FROM todos WHERE target_type = $1 AND target_id = $2',
  'DELETE FROM subscriptions WHERE target_type = $1 AND target_id = $2',
  'DELETE FROM label_links WHERE target_type = $1 AND target_id = $2',
  'DELETE FROM award_emoji WHERE awardable_type = $1 AND awardable_id = $2',
];

/**
 * Selects one row with the relations of issuables as JSON, each user, label and milestone once.
 * @param $1 kind @param $2 IDs @param $3 the reader's user ID or null @param $4 users @param $5 milestones
 */
const relationsStatement = (table: string, { people, milestones }: RelatedColumns): string => `
  SELECT ${jsonList(`
           SELECT ${people.list('u')} FROM users u
            WHERE (u.id = ANY(${opaqueArray('$4', 'int')}) AND u.deleted_at IS NULL)
               OR u.ghost`)} AS people,
         ${jsonList(`
           SELECT ${milestones.list('milestone')} FROM milestones milestone
            WHERE milestone.id = ANY(${opaqueArray('$5', 'int')})`)} AS milestones,
         ${jsonList(`
           SELECT link.target_id AS "targetId", label.name
             FROM label_links link JOIN labels label ON label.id = link.label_id
            WHERE link.target_type = $1 AND link.target_id = ANY(${opaqueArray('$2', 'int')})
            ORDER BY label.name`)} AS labels,
         ${jsonList(countersSql(table))} AS counters`;

const jsonList = (rows: string): string => `(SELECT json_agg(item) FROM (${rows}) item)`;

/** Selects the counters of issuables. @param $1 kind @param $2 IDs @param $3 the reader's user ID or null */
const countersSql = (table: string): string => `
  SELECT t.id, t.upvotes, t.downvotes, t.user_notes_count AS "userNotesCount",
         coalesce(
           (SELECT s.subscribed FROM subscriptions s
             WHERE s.target_type = $1::varchar AND s.target_id = t.id AND s.user_id = $3::int),
           ${participates('t', '$1::varchar', '$3::int')}, false) AS subscribed
    FROM ${table} t
   WHERE t.id = ANY(${opaqueArray('$2', 'int')})`;
