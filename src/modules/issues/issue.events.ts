import { DomainEvent } from '../activity/index.js';

/**
 * What happened to an issue; a move opens the new one and closes the old one
 * (docs/reference/hooks.md#issues).
 */
export type IssueAction = 'open' | 'close' | 'reopen' | 'update';

/** The parts of an issue that can be changed. */
export type IssueField =
  | 'title'
  | 'description'
  | 'confidential'
  | 'assignee'
  | 'milestone'
  | 'labels'
  | 'due_date'
  | 'updated_at';

/**
 * An issue was made or changed. Published in the unit of work that writes it, after everything else
 * about the change is written; one request may publish a change of state and then an `update`.
 */
@DomainEvent()
export class IssueChanged {
  constructor(
    readonly projectId: number,
    readonly issueId: number,
    /** Whose doing it is. */
    readonly actorId: number,
    readonly action: IssueAction,
    /** Of an `update`: what is not as it was; empty when all was so already. */
    readonly changes: readonly IssueField[] = [],
  ) {}
}
