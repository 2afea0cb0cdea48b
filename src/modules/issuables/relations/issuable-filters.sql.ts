import { containing, opaqueArray, opaqueValue } from '../../../platform/database/index.js';
import { userByUsername } from '../../users/index.js';
import type { IssuableType } from '../model/issuable.js';

/** Filters of the rows of a list, of which all have to match. */
export interface IssuableFilters {
  /** Numbers within their projects. */
  iids?: readonly number[] | undefined;
  authorId?: number | undefined;
  authorUsername?: string | undefined;
  /** `any`: those with an assignee; null: those without. */
  assigneeId?: number | 'any' | null | undefined;
  assigneeUsername?: string | undefined;
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
  const { authorId, assigneeId, milestone, search } = filters;
  if (authorId !== undefined) conditions.push(`${alias}.author_id = ${parameter(authorId)}`);
  if (filters.authorUsername !== undefined) {
    conditions.push(`${alias}.author_id = ${idOf(parameter(filters.authorUsername))}`);
  }
  if (assigneeId === null) conditions.push(`${alias}.assignee_id IS NULL`);
  else if (assigneeId === 'any') conditions.push(`${alias}.assignee_id IS NOT NULL`);
  else if (assigneeId !== undefined) {
    conditions.push(`${alias}.assignee_id = ${parameter(assigneeId)}`);
  }
  if (filters.assigneeUsername !== undefined) {
    conditions.push(`${alias}.assignee_id = ${idOf(parameter(filters.assigneeUsername))}`);
  }
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
