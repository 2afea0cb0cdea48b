import { type EntityColumns, opaqueArray, opaqueValue } from '../../../platform/database/index.js';
import type { PageRequest } from '../../../platform/pagination/index.js';
import {
  countOfIssuables,
  filterConditions,
  hasAmong,
  hasFilters,
  type IssuableFilters,
  type ListOrder,
  type ListStatement,
  NEWEST_FIRST,
  pageOfIssuables,
  rowOf,
} from '../../issuables/index.js';
import type { Issue, IssueState } from '../model/issue.entity.js';
import { locatedColumns } from '../model/issues.repository.js';

/** A project, or a part of one, in which a list searches issues. All scopes of a list have the same properties. */
export interface IssueScope {
  projectId: number;
  /** Whether the reader may read all confidential issues of the project. */
  readsConfidential: boolean;
  /** Only the issues of this milestone; null for those without a milestone. */
  milestoneId?: number | null;
  /** Only the issues with this label. A project may have a scope for each of several labels. */
  labelId?: number;
  /** Whether that is a label of the project's group. */
  isGroupLabel?: boolean;
}

/** The filters of a list; an issue has to match all of them. */
export interface ListFilter {
  states: readonly IssueState[];
  /** Distinct names; empty does not filter. */
  labels: readonly string[];
  iid?: number | undefined;
  /** A title; null for issues without a milestone. */
  milestone?: string | null | undefined;
  confidential?: boolean | undefined;
  /** Further filters. */
  others?: IssuableFilters | undefined;
  order: ListOrder;
}

/** Whether issues need all of the labels or one of them. */
export type LabelMatch = 'all' | 'any';

export interface ListConditions extends Pick<
  ListFilter,
  'states' | 'iid' | 'confidential' | 'others' | 'order'
> {
  scopes: readonly IssueScope[];
  /** Issues have so many of these labels besides that of their scope. Absent: none is needed. */
  furtherLabels?: { ids: readonly number[]; count: number };
  /** Null for anonymous readers. */
  readerId: number | null;
  /** Whether only issues that the reader created are listed. */
  own?: boolean;
}

/**
 * Selects a page of the issues, and the next one if there is one. Without filters it also counts.
 * @param columns those of a `LocatedIssue`
 */
export function pageStatement(
  columns: EntityColumns<Issue>,
  conditions: ListConditions,
  request: PageRequest,
): ListStatement & { count?: string } {
  const list = new ListSql(conditions);
  const page = list.statement(
    pageOfIssuables({
      type: 'Issue',
      columns: locatedColumns(columns.without('description'), 't'),
      tops: (count) => list.tops(count),
      order: conditions.order,
      request,
      parameter: (value) => list.parameter(value),
      readerId: conditions.readerId,
    }),
  );
  return isFiltered(conditions) ? page : { ...page, count: list.keptCount() };
}

/** Counts the issues of a filtered list. Labels have an index for the order, too. */
export function countStatement(conditions: ListConditions): ListStatement {
  const list = new ListSql({ ...conditions, order: NEWEST_FIRST });
  return list.statement(countOfIssuables((count) => list.tops(count)));
}

/** Counts the issues by state, as `state` and `count`; exactly, however many there are. */
export function stateCountsStatement(conditions: ListConditions): ListStatement {
  const list = new ListSql({ ...conditions, order: NEWEST_FIRST });
  return list.statement(isFiltered(conditions) ? list.countsByState() : list.keptCountsByState());
}

const isFiltered = ({
  scopes,
  iid,
  confidential,
  others = {},
  own = false,
}: ListConditions): boolean =>
  own ||
  confidential !== undefined ||
  hasFilters(others) ||
  iid !== undefined ||
  scopes.some(({ milestoneId, labelId }) => milestoneId !== undefined || labelId !== undefined);

/** The links to a label of a project, and those to one of a group in one of its projects: each has an index. */
const OF_PROJECT = 'link.label_id = scope.label_id';
const OF_GROUP = 'link.project_id = scope.project_id AND link.label_id = scope.label_id';

/** More than a table has. */
const ALL_ROWS = 2 ** 31;

/**
 * Builds the statement that merges the issues of several scopes. For each scope and state an index has the issues
 * in order, so its first ones are read and merged. If the index covers all filters, no more issues are read than
 * the pages up to the requested one hold.
 */
class ListSql {
  private readonly parameters: unknown[] = [];

  constructor(private readonly conditions: ListConditions) {}

  parameter(value: unknown): string {
    this.parameters.push(value);
    return `$${String(this.parameters.length)}`;
  }

  statement(sql: string): ListStatement {
    return { sql, parameters: this.parameters };
  }

  private array(values: readonly unknown[], type: string): string {
    return opaqueArray(this.parameter(values), type);
  }

  /** Selects the total of an unfiltered list from the counters. Only the reader's own confidential issues are counted. */
  keptCount(): string {
    return `SELECT coalesce(sum(${this.keptNumber()}), 0)::int ${this.keptCounts()}`;
  }

  /** Selects the same number of each state. */
  keptCountsByState(): string {
    return `
      SELECT wanted.state, sum(${this.keptNumber()})::int AS count ${this.keptCounts()}
       GROUP BY wanted.state`;
  }

  /** Counts the issues of a filtered list, by state. */
  countsByState(): string {
    return `
      SELECT wanted.state, count(*)::int AS count ${this.topsOfScopes(ALL_ROWS)}
       GROUP BY wanted.state`;
  }

  private keptNumber(): string {
    return `kept.number - kept.hidden ${this.ownConfidential()}`;
  }

  /** A `FROM` clause with the counters of each scope and state. */
  private keptCounts(): string {
    const { scopes, states } = this.conditions;
    return `
        FROM unnest(${this.array(
          scopes.map(({ projectId }) => projectId),
          'int',
        )},
                    ${this.array(
                      scopes.map(({ readsConfidential }) => readsConfidential),
                      'boolean',
                    )})
             AS scope (project_id, reads_confidential)
       CROSS JOIN LATERAL (
         SELECT * FROM issue_counts WHERE project_id = scope.project_id LIMIT 1) c
       CROSS JOIN unnest(${this.array(states, 'varchar')}) AS wanted (state)
       CROSS JOIN LATERAL (
         SELECT CASE wanted.state WHEN 'opened' THEN c.opened ELSE c.closed END AS number,
                CASE WHEN scope.reads_confidential THEN 0
                     WHEN wanted.state = 'opened' THEN c.opened_confidential
                     ELSE c.closed_confidential END AS hidden) kept`;
  }

  /** Adds the reader's own issues to those that are not confidential. Anonymous readers have none. */
  private ownConfidential(): string {
    const { readerId } = this.conditions;
    if (readerId === null) return '';
    const reader = opaqueValue(this.parameter(readerId), 'int');
    return `
      + CASE WHEN kept.hidden = 0 THEN 0 ELSE (
          SELECT count(*) FROM issues i
           WHERE i.project_id = scope.project_id AND i.state = wanted.state AND i.confidential
             AND i.deleted_at IS NULL
             AND (i.author_id = ${reader} OR ${hasAmong('i', 'assignee_ids', reader)})
        ) END`;
  }

  /** A `FROM` clause: `id` and time `at` of the first issues of each scope and state. */
  tops(count: number): string {
    const { scopes } = this.conditions;
    const tops = this.topsOfScopes(count);
    const projects = new Set(scopes.map(({ projectId }) => projectId));
    // With several labels of one project an issue may be found several times.
    if (projects.size === scopes.length) return tops;
    return `FROM (SELECT DISTINCT top.id, top.at ${tops}) top`;
  }

  private topsOfScopes(count: number): string {
    const { scopes, states } = this.conditions;
    const columns = [
      this.array(
        scopes.map(({ projectId }) => projectId),
        'int',
      ),
      this.array(
        scopes.map(({ readsConfidential }) => readsConfidential),
        'boolean',
      ),
      this.array(
        scopes.map(({ milestoneId }) => milestoneId ?? null),
        'int',
      ),
      this.array(
        scopes.map(({ labelId }) => labelId ?? null),
        'int',
      ),
      this.array(
        scopes.map(({ isGroupLabel }) => isGroupLabel ?? false),
        'boolean',
      ),
    ];
    return `
      FROM unnest(${columns.join(', ')})
             AS scope (project_id, reads_confidential, milestone_id, label_id, of_group)
      CROSS JOIN unnest(${this.array(states, 'varchar')}) AS wanted (state)
      CROSS JOIN LATERAL (${this.first(count)}) top`;
  }

  private first(count: number): string {
    const { scopes } = this.conditions;
    if (scopes[0]?.labelId === undefined) return this.firstIssues(count);
    const isAny = (ofGroup: boolean) => scopes.some(({ isGroupLabel }) => isGroupLabel === ofGroup);
    if (!isAny(true)) return this.firstLabelled(OF_PROJECT, count);
    if (!isAny(false)) return this.firstLabelled(OF_GROUP, count);
    const parts = [
      this.firstLabelled(`NOT scope.of_group AND ${OF_PROJECT}`, count),
      this.firstLabelled(`scope.of_group AND ${OF_GROUP}`, count),
    ];
    return parts.map((part) => `(${part})`).join(' UNION ALL ');
  }

  private firstIssues(count: number): string {
    const conditions = [
      'i.project_id = scope.project_id',
      'i.state = wanted.state AND i.deleted_at IS NULL',
      ...this.shown('i.id', 'i.confidential'),
      ...this.written('i.author_id'),
      ...this.filters(),
      ...this.labels('i.id'),
    ];
    return this.ordered('i.id', `i.${this.conditions.order.by}`, 'issues i', conditions, count);
  }

  /**
   * Deleted issues have no label links. Other filters, and another order, need the issue's row.
   * @param links `OF_PROJECT` or `OF_GROUP`
   */
  private firstLabelled(links: string, count: number): string {
    const { by } = this.conditions.order;
    const filters = this.filters();
    const isJoined = by !== 'created_at' || filters.length > 0;
    const conditions = [
      `${links} AND link.target_type = 'Issue' AND link.state = wanted.state`,
      ...this.shown('link.target_id', 'link.confidential'),
      ...this.written('link.author_id'),
      ...filters,
      ...this.labels('link.target_id'),
    ];
    const at = by === 'created_at' ? 'link.created_at' : `i.${by}`;
    const from = `label_links link ${isJoined ? `${rowOf('issues', 'link.target_id')} i` : ''}`;
    return this.ordered('link.target_id', at, from, conditions, count);
  }

  private ordered(
    id: string,
    at: string,
    from: string,
    conditions: readonly string[],
    count: number,
  ): string {
    const { direction } = this.conditions.order;
    return `
      SELECT ${id} AS id, ${at} AS at FROM ${from} WHERE ${conditions.join(' AND ')}
       ORDER BY ${at} ${direction}, ${id} ${direction} LIMIT ${String(count)}`;
  }

  /**
   * See docs/reference/issues.md#confidential-issues. A reader of all confidential issues needs no condition, so
   * that the indexes do everything.
   */
  private shown(id: string, confidential: string): string[] {
    const { scopes, readerId } = this.conditions;
    if (scopes.every(({ readsConfidential }) => readsConfidential)) return [];
    if (readerId === null) return [`NOT ${confidential}`];
    const reader = opaqueValue(this.parameter(readerId), 'int');
    const projects = this.array(
      scopes.map(({ projectId }) => projectId),
      'int',
    );
    return [
      `(scope.reads_confidential OR NOT ${confidential} OR ${id} IN (
         SELECT theirs.id FROM issues theirs
          WHERE theirs.project_id = ANY(${projects}) AND theirs.confidential
            AND theirs.deleted_at IS NULL
            AND (theirs.author_id = ${reader}
                 OR ${hasAmong('theirs', 'assignee_ids', reader)})))`,
    ];
  }

  private written(author: string): string[] {
    const { own = false, readerId } = this.conditions;
    return own ? [`${author} = ${this.parameter(readerId)}`] : [];
  }

  private filters(): string[] {
    const { scopes, iid, confidential, others = {} } = this.conditions;
    const { milestoneId } = scopes[0] ?? {};
    return [
      ...filterConditions(others, {
        type: 'Issue',
        alias: 'i',
        parameter: (value) => this.parameter(value),
      }),
      ...(confidential === undefined ? [] : [`i.confidential = ${this.parameter(confidential)}`]),
      ...(milestoneId === null ? ['i.milestone_id IS NULL'] : []),
      ...(typeof milestoneId === 'number' ? ['i.milestone_id = scope.milestone_id'] : []),
      ...(iid === undefined ? [] : [`i.iid = ${this.parameter(iid)}`]),
    ];
  }

  private labels(id: string): string[] {
    const { furtherLabels } = this.conditions;
    if (furtherLabels === undefined) return [];
    // One condition for all: PostgreSQL plans a hundred for a second.
    return [
      `(SELECT count(*) FROM label_links other
         WHERE other.target_type = 'Issue' AND other.target_id = ${id}
           AND other.label_id = ANY(${this.array(furtherLabels.ids, 'int')})
       ) = ${this.parameter(furtherLabels.count)}`,
    ];
  }
}
