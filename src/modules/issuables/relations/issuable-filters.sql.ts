import { containing, opaqueArray, opaqueValue } from '../../../platform/database/index.js';
import { hasAmong, type PeopleColumn } from '../model/people.sql.js';
import { type NegatedFilters, negatedConditions } from './negated-filters.sql.js';
import {
  type FilteredRows,
  type NamedPerson,
  personId,
  type Reaction,
  reactionCondition,
} from './row-conditions.sql.js';

/** Filters of the rows of a list, of which all have to match. */
export interface IssuableFilters {
  /** Numbers within their projects. */
  iids?: readonly number[] | undefined;
  authorId?: number | undefined;
  authorUsername?: string | undefined;
  /** All have to match one of the assignees. */
  assignees?: readonly PersonFilter[] | undefined;
  /** Of merge requests alone. */
  reviewers?: readonly PersonFilter[] | undefined;
  /** Of merge requests alone: who has approved them. */
  approvers?: readonly PersonFilter[] | undefined;
  /** `any`: those with a milestone. */
  milestone?: 'any' | undefined;
  /** `any`: those with labels; `none`: those without. */
  labels?: 'any' | 'none' | undefined;
  search?: TextSearch | undefined;
  /** What a user has awarded to them. */
  reaction?: Reaction | undefined;
  /** Of issues alone. */
  due?: DueFilter | undefined;
  /** Of merge requests alone: whether the title marks them as drafts. */
  isDraft?: boolean | undefined;
  /** What they must not be. */
  not?: NegatedFilters | undefined;
  createdAfter?: Date | undefined;
  createdBefore?: Date | undefined;
  updatedAfter?: Date | undefined;
  updatedBefore?: Date | undefined;
}

/** A filter for lists of users: one of them by ID or user name; `any`: at least one user; null: none. */
export type PersonFilter = NamedPerson | 'any' | null;

/** Whether there is a due date, or between which dates it lies; both are included. */
export type DueFilter = 'any' | 'none' | { from?: string | undefined; to: string };

/** A text that some columns contain, in any case. */
export interface TextSearch {
  readonly text: string;
  readonly columns: readonly ('title' | 'description')[];
}

const TIMES = [
  ['createdAfter', 'created_at', '>='],
  ['createdBefore', 'created_at', '<='],
  ['updatedAfter', 'updated_at', '>='],
  ['updatedBefore', 'updated_at', '<='],
] as const;

/** Expresses filters as conditions on the rows of a list; none without filters. */
export function filterConditions(filters: IssuableFilters, rows: FilteredRows): string[] {
  const { alias, parameter } = rows;
  const conditions: string[] = [];
  if (filters.iids !== undefined) {
    conditions.push(`${alias}.iid = ANY(${opaqueArray(parameter(filters.iids), 'int')})`);
  }
  const { authorId, assignees = [], reviewers = [], approvers = [], milestone, search } = filters;
  if (authorId !== undefined) conditions.push(`${alias}.author_id = ${parameter(authorId)}`);
  if (filters.authorUsername !== undefined) {
    const author = personId({ username: filters.authorUsername }, rows);
    conditions.push(`${alias}.author_id = ${author}`);
  }
  conditions.push(
    ...assignees.map((person) => personCondition('assignee_ids', person, rows)),
    ...reviewers.map((person) => personCondition('reviewer_ids', person, rows)),
    ...approvers.map((person) => personCondition('approved_by_ids', person, rows)),
  );
  if (milestone === 'any') conditions.push(`${alias}.milestone_id IS NOT NULL`);
  if (search !== undefined) conditions.push(matches(search, rows));
  const { reaction, due, isDraft, not } = filters;
  if (reaction !== undefined) conditions.push(reactionCondition(reaction, rows));
  if (due !== undefined) conditions.push(dueCondition(due, rows));
  if (isDraft !== undefined) {
    const operator = isDraft ? '~*' : '!~*';
    conditions.push(`${alias}.title ${operator} ${parameter(rows.draftTitle)}`);
  }
  if (not !== undefined) conditions.push(...negatedConditions(not, rows));
  for (const [filter, column, operator] of TIMES) {
    const at = filters[filter];
    if (at !== undefined) {
      conditions.push(`${alias}.${column} ${operator} ${parameter(at)}::timestamptz`);
    }
  }
  return [...conditions, ...labelConditions(filters, rows)];
}

function personCondition(column: PeopleColumn, person: PersonFilter, rows: FilteredRows): string {
  const { alias } = rows;
  if (person === null) return `${alias}.${column} = '{}'`;
  if (person === 'any') return `${alias}.${column} <> '{}'`;
  return hasAmong(alias, column, personId(person, rows));
}

function dueCondition(due: DueFilter, { alias, parameter }: FilteredRows): string {
  if (typeof due === 'string') {
    return `${alias}.due_date IS ${due === 'any' ? 'NOT NULL' : 'NULL'}`;
  }
  const from = due.from === undefined ? `'-infinity'` : parameter(due.from);
  return `${alias}.due_date BETWEEN ${from}::date AND ${parameter(due.to)}::date`;
}

function labelConditions({ labels }: IssuableFilters, { type, alias }: FilteredRows): string[] {
  if (labels === undefined) return [];
  const links = `
    SELECT 1 FROM label_links filtered
     WHERE filtered.target_type = '${type}' AND filtered.target_id = ${alias}.id`;
  return [`${labels === 'any' ? '' : 'NOT '}EXISTS (${links})`];
}

function matches({ text, columns }: TextSearch, { alias, parameter }: FilteredRows): string {
  const pattern = opaqueValue(parameter(containing(text)), 'text');
  return `(${columns.map((column) => `${alias}.${column} ILIKE ${pattern}`).join(' OR ')})`;
}

/** Whether there are any filters. */
export const hasFilters = (filters: IssuableFilters): boolean =>
  Object.values<unknown>({ ...filters }).some((value) => value !== undefined);
