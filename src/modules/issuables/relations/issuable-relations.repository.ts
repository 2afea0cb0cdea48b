import { Injectable } from '@nestjs/common';
import { Database, type EntityColumns } from '../../../platform/database/index.js';
import type { Subject } from '../../authorization/index.js';
import { SUMMARY_COLUMNS, type SummarizedUser, User } from '../../users/index.js';
import type { Issuable, IssuableType } from '../model/issuable.js';
import type { Label } from '../planning/label.entity.js';
import { byTarget } from '../planning/labels.repository.js';
import { Milestone } from '../planning/milestone.entity.js';
import { knownRows, type RelatedColumns, withRelations } from './issuable-relations.sql.js';

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
  /** In order, without deleted accounts; reviewers are those of merge requests. */
  assignees: readonly SummarizedUser[];
  reviewers: readonly SummarizedUser[];
  counters: Counters;
}

/** The columns of an issue or merge request that its relations depend on. */
export interface RelatedRow {
  readonly id: number;
  readonly authorId: number;
  readonly assigneeIds: readonly number[];
  /** Of merge requests. */
  readonly reviewerIds?: readonly number[];
  readonly milestoneId: number | null;
  readonly description: string | null;
}

/** An issue or merge request with its relations. */
export interface WithRelations<Row extends RelatedRow> extends EmbeddedRelations {
  issuable: Row;
}

/** The columns of a row that is selected together with its relations. */
export interface SelectedColumns extends RelatedRow, Counters {
  /** Whether its relations are selected as well: those of all rows of a page may have too much text. */
  readonly hasRelations: boolean;
}

/** A row with its relations, or with null if they are to be loaded later. */
export interface Selected<Row> {
  readonly row: Row;
  readonly relations: EmbeddedRelations | null;
}

/** A statement that selects `SelectedColumns`. */
interface Selection {
  readonly sql: string;
  readonly parameters: readonly unknown[];
  /** A query for one number, with the same parameters. */
  readonly count?: string;
}

/** Counters of a new issue or merge request, as its author sees them: authors are subscribed. */
export const INITIAL_COUNTERS: Counters = {
  upvotes: 0,
  downvotes: 0,
  userNotesCount: 0,
  subscribed: true,
};

/**
 * Loads the relations (author, assignees, reviewers, labels, milestone, counters) that responses of issues and merge requests
 * embed, and removes those of deleted ones.
 */
@Injectable()
export class IssuableRelations {
  private known: RelatedColumns | undefined;

  constructor(private readonly database: Database) {}

  async loadOne<Row extends RelatedRow>(
    type: IssuableType,
    row: Row,
    reader: Subject,
  ): Promise<WithRelations<Row>> {
    const relationsOf = await this.load(type, [row], reader);
    return { issuable: row, ...relationsOf(row) };
  }

  /** Loads the relations of several with one statement. */
  async loadAll<Row extends RelatedRow>(
    type: IssuableType,
    rows: readonly Row[],
    reader: Subject,
  ): Promise<WithRelations<Row>[]> {
    if (rows.length === 0) return [];
    const relationsOf = await this.load(type, rows, reader);
    return rows.map((issuable) => ({ issuable, ...relationsOf(issuable) }));
  }

  /**
   * Removes the todos, subscriptions, label links, awards and drafts of notes of an issue or merge request that is deleted. Its notes
   * and events stay (docs/reference/issues.md#delete-projectsidissuesissue_id).
   */
  async removeAll({ type, id }: Pick<Issuable, 'type' | 'id'>): Promise<void> {
    for (const statement of REMOVALS) await this.database.rows(statement, [type, id]);
  }

  /**
   * Selects issues or merge requests together with their relations, and the number of their list, with one statement.
   * @param columns those of a row that hold times
   * @returns the count 0 if none is selected
   */
  async select<Row extends SelectedColumns>(
    type: IssuableType,
    selection: Selection,
    columns: Pick<EntityColumns<object>, 'revive'>,
  ): Promise<{ rows: Selected<Row>[]; count: number }> {
    const { rows, relationsOf, count } = await this.run<Row>(type, selection);
    const selected = rows.map((row) => ({
      row: columns.revive(row),
      relations: row.hasRelations ? relationsOf(row) : null,
    }));
    return { rows: selected, count };
  }

  /**
   * Returns a part of a page of selected rows.
   * @param loadTexts loads the descriptions that rows without relations lack
   */
  async describe<Row extends RelatedRow>(
    type: IssuableType,
    selected: readonly Selected<Row>[],
    reader: Subject,
    loadTexts: (rows: readonly Row[]) => Promise<readonly Row[]>,
  ): Promise<WithRelations<Row>[]> {
    const rows = selected.map(({ row }) => row);
    const relations = selected.flatMap((one) => one.relations ?? []);
    if (relations.length < rows.length) {
      return this.loadAll(type, await loadTexts(rows), reader);
    }
    return relations.map((each, index) => ({ issuable: rows[index] as Row, ...each }));
  }

  private async load(
    type: IssuableType,
    rows: readonly RelatedRow[],
    reader: Subject,
  ): Promise<(row: RelatedRow) => EmbeddedRelations> {
    const { rows: found, relationsOf } = await this.run<SelectedColumns>(type, {
      sql: knownRows(type),
      parameters: [
        rows.map(({ id }) => id),
        rows.map(({ authorId }) => authorId),
        rows.map(({ assigneeIds }) => idsLiteral(assigneeIds)),
        rows.map(({ milestoneId }) => milestoneId),
        reader?.id ?? null,
        ...(type === 'Issue' ? [] : [rows.map(({ reviewerIds = [] }) => idsLiteral(reviewerIds))]),
      ],
    });
    const byId = new Map(found.map((row) => [row.id, row]));
    return ({ id }) => relationsOf(byId.get(id) as SelectedColumns);
  }

  private async run<Row extends SelectedColumns>(
    type: IssuableType,
    { sql, parameters, count = '0' }: Selection,
  ): Promise<{
    rows: readonly Row[];
    relationsOf: (row: SelectedColumns) => EmbeddedRelations;
    count: number;
  }> {
    const columns = this.columns();
    const [loaded] = await this.database.rows<LoadedRelations<Row>>(
      withRelations(sql, count, type, columns),
      parameters,
    );
    const people = new Map(loaded?.people?.map((user) => [user.id, user]));
    const ghost = loaded?.people?.find((user) => user.ghost);
    const milestones = new Map(
      loaded?.milestones?.map((one) => [one.id, columns.milestones.revive(one)]),
    );
    const labels = byTarget(loaded?.labels ?? []);
    const living = (ids: readonly number[]): SummarizedUser[] =>
      ids.flatMap((id) => {
        const user = people.get(id);
        return user === undefined || user.ghost ? [] : [user];
      });
    const relationsOf = (row: SelectedColumns): EmbeddedRelations => {
      const { id, authorId, assigneeIds, reviewerIds = [], milestoneId } = row;
      const { upvotes, downvotes, userNotesCount, subscribed } = row;
      const author = people.get(authorId) ?? ghost;
      if (author === undefined) throw new Error(`There is no author for user ${String(authorId)}`);
      return {
        labels: labels.get(id) ?? [],
        milestone: milestones.get(milestoneId ?? 0) ?? null,
        author,
        assignees: living(assigneeIds),
        reviewers: living(reviewerIds),
        counters: { upvotes, downvotes, userNotesCount, subscribed },
      };
    };
    return { rows: loaded?.rows ?? [], relationsOf, count: loaded?.count ?? 0 };
  }

  private columns(): RelatedColumns {
    this.known ??= {
      people: this.database.columns(User).only(SUMMARY_COLUMNS),
      milestones: this.database.columns(Milestone),
    };
    return this.known;
  }
}

/** A list of IDs as an element of an array, which has elements of one length otherwise. */
const idsLiteral = (ids: readonly number[]): string => `{${ids.join(',')}}`;

/** The row of the statement: a list of each kind, null if it is empty. */
interface LoadedRelations<Row> {
  rows: Row[] | null;
  count: number;
  /** The ghost account among them. */
  people: SummarizedUser[] | null;
  milestones: Milestone[] | null;
  labels: { targetId: number; name: string }[] | null;
}

const REMOVALS = [
  'DELETE FROM todos WHERE target_type = $1 AND target_id = $2',
  'DELETE FROM subscriptions WHERE target_type = $1 AND target_id = $2',
  'DELETE FROM label_links WHERE target_type = $1 AND target_id = $2',
  'DELETE FROM award_emoji WHERE awardable_type = $1 AND awardable_id = $2',
  `DELETE FROM draft_notes WHERE $1::varchar = 'MergeRequest' AND merge_request_id = $2`,
];
