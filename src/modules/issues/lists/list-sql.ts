import {
  COUNTED_ITEMS,
  firstTexts,
  type PageRequest,
  windowOf,
} from '../../../platform/http/index.js';
import { COLUMNS } from '../issues.repository.js';
import { type ListFilter, NEWEST_FIRST, type Place } from './issue-list.js';

/** Where a list looks for issues: in a project, or in a part of it. All of a list are narrow alike. */
export interface NarrowPlace extends Place {
  /** Only those of this milestone, or only those of none. */
  milestoneId?: number | null;
  /** Only those with this label. A project may come once for each of several labels. */
  labelId?: number;
}

export interface ListConditions extends Pick<ListFilter, 'states' | 'iid' | 'order'> {
  /** At least one. */
  places: readonly NarrowPlace[];
  /** IDs of labels: issues have one out of each set as well. */
  labels: readonly (readonly number[])[];
  readerId: number;
  /** Whether only what the reader wrote. */
  own?: boolean;
}

export interface Statement {
  sql: string;
  parameters: unknown[];
}

/** One page of the issues, and one more as far as there is one; rows of `ListedIssue`. */
export function pageStatement(conditions: ListConditions, request: PageRequest): Statement {
  const { direction } = conditions.order;
  const { offset, limit } = windowOf(request);
  const list = new ListSql(conditions);
  const tops = list.tops(offset + limit);
  return list.statement(`
    SELECT ${listedColumns(`page.at ${direction}, page.id ${direction}`)}
      FROM (SELECT top.id, top.at ${tops} ORDER BY top.at ${direction}, top.id ${direction}
             LIMIT ${list.parameter(limit)} OFFSET ${list.parameter(offset)}) page
      ${issueBy('page.id')}
      JOIN projects p ON p.id = i.project_id
      JOIN namespaces n ON n.id = p.namespace_id
      LEFT JOIN milestones milestone ON milestone.id = i.milestone_id
     ORDER BY page.at ${direction}, page.id ${direction}`);
}

/** With the descriptions of the first issues, and the length of all that answers embed. */
const listedColumns = (order: string): string => `
  ${COLUMNS.replace('i.description,', `${firstTexts('i.description', order)} AS description,`)},
  (coalesce(octet_length(i.description), 0)
   + coalesce(octet_length(milestone.description), 0))::int AS "textBytes"`;

/** How many issues there are, as `count`; no further than totals are told. */
export function countStatement(conditions: ListConditions): Statement {
  // In an order, so that an index is read; which one does not matter, and this one labels have too.
  const list = new ListSql({ ...conditions, order: NEWEST_FIRST });
  const most = COUNTED_ITEMS + 1;
  const tops = list.tops(most);
  return list.statement(`
    SELECT count(*)::int AS count
      FROM (SELECT 1 ${tops} LIMIT ${list.parameter(most)}) AS bounded`);
}

/** The row `i` of each of a few issues, one by one: nobody guesses beforehand how few they are. */
const issueBy = (id: string): string =>
  `CROSS JOIN LATERAL (SELECT * FROM issues one WHERE one.id = ${id} LIMIT 1) i`;

/**
 * The issues of many places, in order, as quickly as those of one: for each place and state an index
 * has them in order, so its first ones are taken and merged. However many there are, no more are read
 * than pages were asked for, as long as the filters are those of the index.
 */
class ListSql {
  private readonly parameters: unknown[] = [];

  constructor(private readonly conditions: ListConditions) {}

  parameter(value: unknown): string {
    this.parameters.push(value);
    return `$${String(this.parameters.length)}`;
  }

  statement(sql: string): Statement {
    return { sql, parameters: this.parameters };
  }

  /** From `FROM` on: `id` and time `at` of the first issues of each place and state. */
  tops(count: number): string {
    const { places, states } = this.conditions;
    const column = (values: readonly unknown[], type: string) =>
      `${this.parameter(values)}::${type}[]`;
    const tops = `
      FROM unnest(${column(
        places.map(({ projectId }) => projectId),
        'int',
      )},
                  ${column(
                    places.map(({ insider }) => insider),
                    'boolean',
                  )},
                  ${column(
                    places.map(({ milestoneId }) => milestoneId ?? null),
                    'int',
                  )},
                  ${column(
                    places.map(({ labelId }) => labelId ?? null),
                    'int',
                  )})
             AS place (project_id, insider, milestone_id, label_id)
      CROSS JOIN unnest(${column(states, 'varchar')}) AS wanted (state)
      CROSS JOIN LATERAL (${this.first(count)}) top`;
    const projects = new Set(places.map(({ projectId }) => projectId));
    // With several labels of one project an issue may be found several times.
    if (projects.size === places.length) return tops;
    return `FROM (SELECT DISTINCT top.id, top.at ${tops}) top`;
  }

  private first(count: number): string {
    return this.conditions.places[0]?.labelId === undefined
      ? this.firstIssues(count)
      : this.firstLabelled(count);
  }

  private firstIssues(count: number): string {
    const { milestoneId } = this.conditions.places[0] ?? {};
    // Milestones belong to one project; the index on them need not be asked for it.
    const inProject = typeof milestoneId === 'number' ? [] : ['i.project_id = place.project_id'];
    const conditions = [
      ...inProject,
      'i.state = wanted.state AND i.deleted_at IS NULL',
      ...this.shown('i.id', 'i.confidential'),
      ...this.written('i.author_id'),
      ...this.filters(),
      ...this.labels('i.id'),
    ];
    return this.ordered('i.id', `i.${this.conditions.order.by}`, 'issues i', conditions, count);
  }

  /** Labels are gone from what is deleted; other filters, and another order, take the issue itself. */
  private firstLabelled(count: number): string {
    const { by } = this.conditions.order;
    const filters = this.filters();
    const isJoined = by !== 'created_at' || filters.length > 0;
    const conditions = [
      `link.label_id = place.label_id AND link.target_type = 'Issue' AND link.state = wanted.state`,
      ...this.shown('link.target_id', 'link.confidential'),
      ...this.written('link.author_id'),
      ...filters,
      ...this.labels('link.target_id'),
    ];
    const at = by === 'created_at' ? 'link.created_at' : `i.${by}`;
    const from = `label_links link ${isJoined ? issueBy('link.target_id') : ''}`;
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
       ORDER BY ${at} ${direction}, ${id} ${direction} LIMIT ${this.parameter(count)}`;
  }

  /**
   * See docs/reference/issues.md#confidential-issues. Insiders need not be asked, which leaves
   * everything to the indexes.
   */
  private shown(id: string, confidential: string): string[] {
    const { places, readerId } = this.conditions;
    if (places.every(({ insider }) => insider)) return [];
    const reader = this.parameter(readerId);
    const projects = this.parameter(places.map(({ projectId }) => projectId));
    return [
      `(place.insider OR NOT ${confidential} OR ${id} IN (
         SELECT theirs.id FROM issues theirs
          WHERE theirs.project_id = ANY(${projects}::int[]) AND theirs.confidential
            AND theirs.deleted_at IS NULL
            AND (theirs.author_id = ${reader} OR theirs.assignee_id = ${reader})))`,
    ];
  }

  private written(author: string): string[] {
    const { own = false, readerId } = this.conditions;
    return own ? [`${author} = ${this.parameter(readerId)}`] : [];
  }

  private filters(): string[] {
    const { places, iid } = this.conditions;
    const { milestoneId } = places[0] ?? {};
    return [
      ...(milestoneId === null ? ['i.milestone_id IS NULL'] : []),
      ...(typeof milestoneId === 'number' ? ['i.milestone_id = place.milestone_id'] : []),
      ...(iid === undefined ? [] : [`i.iid = ${this.parameter(iid)}`]),
    ];
  }

  private labels(id: string): string[] {
    return this.conditions.labels.map(
      (ids) => `EXISTS (
        SELECT 1 FROM label_links other
         WHERE other.target_type = 'Issue' AND other.target_id = ${id}
           AND other.label_id = ANY(${this.parameter(ids)}::int[]))`,
    );
  }
}
