import type { IssueState } from '../issue.entity.js';

/** A project whose issues a list may show. */
export interface Place {
  projectId: number;
  /** Whether the reader may read its confidential issues, whosever they are. */
  insider: boolean;
}

export interface ListOrder {
  by: 'created_at' | 'updated_at';
  /** Of ties by ID, too. */
  direction: 'asc' | 'desc';
}

/** What a list is asked for; all of it has to hold. */
export interface ListFilter {
  states: readonly IssueState[];
  /** Names, each once; empty does not filter. */
  labels: readonly string[];
  iid?: number | undefined;
  /** A title; null for issues without a milestone. */
  milestone?: string | null | undefined;
  order: ListOrder;
}

/** The newest first. */
export const NEWEST_FIRST: ListOrder = { by: 'created_at', direction: 'desc' };
