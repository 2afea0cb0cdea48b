import { containing, opaqueArray, opaqueValue } from '../../../platform/database/index.js';
import { userByUsername } from '../../users/index.js';
import type { IssuableType } from '../model/issuable.js';
import { hasAmong, type PeopleColumn } from '../model/people.sql.js';

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
  createdAfter?: Date | undefined;
  createdBefore?: Date | undefined;
  updatedAfter?: Date | undefined;
  updatedBefore?: Date | undefined;
}

/** A filter for lists of users: one of them by ID or user name; `any`: at least one user; null: none. */
export type PersonFilter = { id: number } | { username: string } | 'any' | null;

/** A text that some columns contain, in any case. */
export interface TextSearch {
  readonly text: string;
  readonly columns: readonly ('title' | 'description')[];
}

interface FilteredRows {
  readonly type: IssuableType;
  /** Alias of the kind's table. */
  readonly alias: string;
  /** Makes a parameter of a value. */
  readonly parameter: (value: unknown) => string;
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
    conditions.push(`${alias}.author_id = ${idOf(parameter(filters.authorUsername))}`);
  }
  conditions.push(
    ...assignees.map((person) => personCondition('assignee_ids', person, rows)),
    ...reviewers.map((person) => personCondition('reviewer_ids', person, rows)),
    ...approvers.map((person) => personCondition('approved_by_ids', person, rows)),
  );
  if (milestone === 'any') conditions.push(`${alias}.milestone_id IS NOT NULL`);
  if (search !== undefined) conditions.push(matches(search, rows));
  for (const [filter, column, operator] of TIMES) {
    const at = filters[filter];
    if (at !== undefined) {
      conditions.push(`${alias}.${column} ${operator} ${parameter(at)}::timestamptz`);
    }
  }
  return [...conditions, ...labelConditions(filters, rows)];
}

function personCondition(
  column: PeopleColumn,
  person: PersonFilter,
  { alias, parameter }: FilteredRows,
): string {
  if (person === null) return `${alias}.${column} = '{}'`;
  if (person === 'any') return `${alias}.${column} <> '{}'`;
  const id = 'id' in person ? parameter(person.id) : idOf(parameter(person.username));
  return hasAmong(alias, column, id);
}

function labelConditions({ labels }: IssuableFilters, { type, alias }: FilteredRows): string[] {
  if (labels === undefined) return [];
  const links = `
    SELECT 1 FROM label_links filtered
     WHERE filtered.target_type = '${type}' AND filtered.target_id = ${alias}.id`;
  return [`${labels === 'any' ? '' : 'NOT '}EXISTS (${links})`];
}

const idOf = (username: string): string =>
  `(SELECT account.id FROM ${userByUsername(opaqueValue(username, 'varchar'))} account)`;

function matches({ text, columns }: TextSearch, { alias, parameter }: FilteredRows): string {
  const pattern = opaqueValue(parameter(containing(text)), 'text');
  return `(${columns.map((column) => `${alias}.${column} ILIKE ${pattern}`).join(' OR ')})`;
}

/** Whether there are any filters. */
export const hasFilters = (filters: IssuableFilters): boolean =>
  Object.values<unknown>({ ...filters }).some((value) => value !== undefined);
