/**
 * A change under which statements of an earlier version could fail, and why it may be made
 * (CONTRIBUTING.md#changing-the-schema).
 */
export type ContractStep = { migration: string; change: string } & (
  | { /** The release that stopped using it. */ unusedSince: string }
  | { /** Why statements of the release before succeed all the same. */ harmless: string }
);

export const CONTRACT_STEPS: readonly ContractStep[] = [];

/** What nothing reads or writes any more, and a later release drops. */
interface UnusedColumn {
  readonly column: string;
  /** What is dropped with it. */
  readonly with: string;
  /** Its foreign key and the indexes that have it, which entities do not declare. */
  readonly constraint?: string;
  readonly indexes?: readonly string[];
  /** The release that stops using it, which the one that drops it follows. */
  readonly since: string;
}

export const UNUSED_COLUMNS: readonly UnusedColumn[] = [
  {
    column: 'issues.moved_references',
    with: 'trigger settle_moved_references, functions settle_references_of_issues and settle_references',
    since: 'Unreleased',
  },
  {
    column: 'notes.moved_references',
    with: 'trigger settle_moved_references, function settle_references_of_notes',
    since: 'Unreleased',
  },
  {
    column: 'events.data',
    with: 'trigger fill_pushed_ref, functions fill_pushed_ref_of_event, data_of_pushed_ref and pushed_ref_of_data',
    since: 'Unreleased',
  },
  {
    column: 'issues.assignee_id',
    with: 'triggers keep_first_assignee_inserted and keep_first_assignee_updated',
    constraint: 'issues_assignee_fkey',
    indexes: ['issues_assignee_idx', 'issues_confidential_assignee_idx', 'issues_confidential_idx'],
    since: 'Unreleased',
  },
  {
    column: 'merge_requests.assignee_id',
    with: 'triggers keep_first_assignee_inserted and keep_first_assignee_updated, function keep_first_assignee',
    constraint: 'merge_requests_assignee_fkey',
    indexes: ['merge_requests_assignee_idx'],
    since: 'Unreleased',
  },
];
