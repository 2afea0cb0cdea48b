import { ruleViolated } from '../../../platform/errors/index.js';

/** The states of a commit status (docs/reference/commit-statuses.md#the-commit-status-object). */
export const STATUS_STATES = ['pending', 'running', 'success', 'failed', 'canceled'] as const;

export type StatusState = (typeof STATUS_STATES)[number];

/** Whether a status can still change; what is finished is followed by a new one. */
export function isUnfinished(state: StatusState): boolean {
  return state === 'pending' || state === 'running';
}

/**
 * Lets every step pass but the one back
 * (docs/reference/commit-statuses.md#post-projectsidstatusessha).
 * @throws DomainError rule violated
 */
export function assertTransition(from: StatusState, to: StatusState): void {
  if (from === 'running' && to === 'pending') {
    throw ruleViolated('Cannot transition status via :enqueue from :running');
  }
}
