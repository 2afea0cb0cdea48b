import { DomainError } from '../../../../platform/errors/index.js';

/** The states of a commit status (docs/reference/commit-statuses.md#the-commit-status-object). */
export const STATUS_STATES = [
  'pending',
  'running',
  'success',
  'failed',
  'canceled',
  'skipped',
] as const;

/** The only stage of a pipeline, since all statuses come from outside (docs/reference/commit-statuses.md#the-status-of-a-commit). */
export const STAGE = 'external';

export type StatusState = (typeof STATUS_STATES)[number];

/** The combination of several statuses; `skipped` when all were skipped, or failed and are allowed to fail. */
export type CombinedState = StatusState;

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
  // Skipped statuses and pipelines count only when there are no others.
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

/** The bit of each state in a mask, which is a set of states. */
const bitOf = (state: StatusState): number => 1 << STATUS_STATES.indexOf(state);

/** The bit of statuses that failed and are allowed to fail. */
const FORGIVEN_BIT = 1 << STATUS_STATES.length;

/**
 * Expresses the mask of some statuses in SQL; null without any.
 * @param status @param isForgiven of a row
 */
export const maskInSql = (status: string, isForgiven: string): string => `
  bit_or(CASE WHEN ${isForgiven} THEN ${String(FORGIVEN_BIT)}
              ${STATUS_STATES.map((state) => `WHEN ${status} = '${state}' THEN ${String(bitOf(state))}`).join(' ')} END)`;

/** Combines the statuses of a mask as `combineStates` does. */
export const combineMask = (mask: number): CombinedState | null =>
  combineStates(
    STATUS_STATES.filter((state) => (mask & bitOf(state)) !== 0),
    (mask & FORGIVEN_BIT) !== 0,
  );

/** Returns all masks whose combination is one of some states. */
export const masksOf = (states: readonly string[]): number[] =>
  Array.from({ length: 2 * FORGIVEN_BIT }, (_, mask) => mask).filter((mask) =>
    states.includes(combineMask(mask) ?? ''),
  );
