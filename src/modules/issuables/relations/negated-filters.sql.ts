import { opaqueArray } from '../../../platform/database/index.js';
import { hasAmong, type PeopleColumn } from '../model/people.sql.js';
import {
  type FilteredRows,
  type NamedPerson,
  personId,
  type Reaction,
  reactionCondition,
} from './row-conditions.sql.js';

/** What the rows of a list must not be. */
export interface NegatedFilters {
  iids?: readonly number[] | undefined;
  author?: NamedPerson | undefined;
  /** None of them is assigned. */
  assignees?: readonly NamedPerson[] | undefined;
  /** Of merge requests alone. */
  reviewers?: readonly NamedPerson[] | undefined;
  /** The title of their milestone. */
  milestone?: string | undefined;
  /** Names of labels, none of which they have. */
  labels?: readonly string[] | undefined;
  reaction?: Reaction | undefined;
  /** Of merge requests alone. */
  sourceBranch?: string | undefined;
  /** Of merge requests alone. */
  targetBranch?: string | undefined;
}

/** Expresses what rows must not be as conditions. */
export function negatedConditions(filters: NegatedFilters, rows: FilteredRows): string[] {
  const { alias, parameter, type } = rows;
  const { iids, author, assignees = [], reviewers = [], milestone, labels, reaction } = filters;
  const conditions: string[] = [];
  if (iids !== undefined) {
    conditions.push(`${alias}.iid <> ALL(${opaqueArray(parameter(iids), 'int')})`);
  }
  // An unknown user name excludes no row.
  if (author !== undefined) {
    conditions.push(`${alias}.author_id IS DISTINCT FROM ${personId(author, rows)}`);
  }
  const isNot = (column: PeopleColumn) => (person: NamedPerson) =>
    `${hasAmong(alias, column, personId(person, rows))} IS NOT TRUE`;
  conditions.push(...assignees.map(isNot('assignee_ids')), ...reviewers.map(isNot('reviewer_ids')));
  if (milestone !== undefined) {
    conditions.push(`NOT EXISTS (
      SELECT 1 FROM milestones excluded
       WHERE excluded.id = ${alias}.milestone_id AND excluded.title = ${parameter(milestone)})`);
  }
  if (labels !== undefined) {
    conditions.push(`NOT EXISTS (
      SELECT 1 FROM label_links link JOIN labels label ON label.id = link.label_id
       WHERE link.target_type = '${type}' AND link.target_id = ${alias}.id
         AND label.name = ANY(${opaqueArray(parameter(labels), 'varchar')}))`);
  }
  if (reaction !== undefined) conditions.push(`NOT ${reactionCondition(reaction, rows)}`);
  for (const [column, name] of [
    ['source_branch', filters.sourceBranch],
    ['target_branch', filters.targetBranch],
  ] as const) {
    if (name !== undefined) conditions.push(`${alias}.${column} <> ${parameter(name)}`);
  }
  return conditions;
}
