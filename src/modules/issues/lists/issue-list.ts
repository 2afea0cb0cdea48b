import type { IssueState } from '../model/issue.entity.js';

/** A project, or a part of one, in which a list searches issues. All scopes of a list have the same properties. */
export interface IssueScope {
  projectId: number;
  /** Whether the reader may read all confidential issues of the project. */
  readsConfidential: boolean;
  /** Only the issues of this milestone; null for those without a milestone. */
  milestoneId?: number | null;
  /** Only the issues with this label. A project may have a scope for each of several labels. */
  labelId?: number;
}

export interface ListOrder {
  by: 'created_at' | 'updated_at';
  /** Also the direction of IDs at equal times. */
  direction: 'asc' | 'desc';
}

/** The filters of a list; an issue has to match all of them. */
export interface ListFilter {
  states: readonly IssueState[];
  /** Distinct names; empty does not filter. */
  labels: readonly string[];
  iid?: number | undefined;
  /** A title; null for issues without a milestone. */
  milestone?: string | null | undefined;
  order: ListOrder;
}

/** Whether issues need all of the labels or one of them. */
export type LabelMatch = 'all' | 'any';

export const NEWEST_FIRST: ListOrder = { by: 'created_at', direction: 'desc' };
