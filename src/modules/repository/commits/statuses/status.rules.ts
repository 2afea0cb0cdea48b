import { DomainError } from '../../../../platform/errors/index.js';

/** The states of a commit status (docs/reference/commit-statuses.md#the-commit-status-object). */
export const STATUS_STATES = ['pending', 'running', 'success', 'failed', 'canceled'] as const;

/** The only stage of a pipeline, since all statuses come from outside (docs/reference/commit-statuses.md#the-status-of-a-commit). */
export const STAGE = 'external';

export type StatusState = (typeof STATUS_STATES)[number];

/** The combination of several statuses; `skipped` when all of them failed and are allowed to fail. */
export type CombinedState = StatusState | 'skipped';

/** Whether a status can still change. A finished status is followed by a new one. */
export function isUnfinished(state: StatusState): boolean {
  return state === 'pending' || state === 'running';
}

/**
 * Refuses the transition from running to pending
 * (docs/reference/commit-statuses.md#post-projectsidstatusessha).
 * @param refusesRepeated whether the state has to change
 * @throws DomainError status runs already, status repeated
 */
export function assertTransition(
  from: StatusState,
  to: StatusState,
  refusesRepeated = false,
): void {
  if (from === 'running' && to === 'pending') {
    throw new DomainError({ code: 'status-runs-already' });
  }
  if (refusesRepeated && from === to && (to === 'pending' || to === 'running')) {
    throw new DomainError({ code: 'status-repeated', state: to });
  }
}

/** The newest status of a name in a pipeline. */
export interface NewestStatus {
  id: number;
  status: StatusState;
  allowFailure: boolean;
}

/** The newest statuses of several names. */
export interface StatesOfNames {
  /** Each state once, without forgiven ones. */
  states: readonly StatusState[];
  /** Whether there are statuses that failed and are allowed to fail. */
  hasForgiven: boolean;
}

/** Combines the newest status of one name, if it has any, with those of the other names of a pipeline. */
export function combineWith(
  { states, hasForgiven }: StatesOfNames,
  own: Pick<NewestStatus, 'status' | 'allowFailure'> | null,
): CombinedState | null {
  if (own === null) return combineStates(states, hasForgiven);
  const isForgiven = own.allowFailure && (own.status === 'failed' || own.status === 'canceled');
  return isForgiven
    ? combineStates(states, true)
    : combineStates([...states, own.status], hasForgiven);
}

/**
 * Combines the states of several statuses, by the table of
 * docs/reference/commit-statuses.md#the-status-of-a-commit; null without any.
 * @param states the states that count; how often each occurs does not matter
 * @param hasForgiven whether there are others that failed and are allowed to fail
 */
export function combineStates(
  states: Iterable<CombinedState>,
  hasForgiven: boolean,
): CombinedState | null {
  const all = new Set(states);
  // A skipped pipeline counts only when there is no other.
  const isSkipped = all.delete('skipped') || hasForgiven;
  const consistOf = (...expected: CombinedState[]) =>
    [...all].every((state) => expected.includes(state));
  if (all.size === 0) return isSkipped ? 'skipped' : null;
  if (consistOf('success')) return 'success';
  if (consistOf('success', 'canceled')) return 'canceled';
  if (consistOf('pending')) return 'pending';
  if (all.has('running') || all.has('pending')) return 'running';
  return 'failed';
}
