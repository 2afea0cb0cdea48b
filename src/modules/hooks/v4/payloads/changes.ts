import type { Label, TriageChange } from '../../../issuables/index.js';
import { formatTime, type V4SharedObjects } from './shared-objects.js';

/** A field before and after a change. */
export interface FieldChange {
  readonly previous: unknown;
  readonly current: unknown;
}

export type FieldChanges = Record<string, FieldChange>;

/** The columns that issues and merge requests have in common. */
interface ChangedRow {
  readonly title: string;
  readonly description: string | null;
  readonly assigneeIds: readonly number[];
  readonly milestoneId: number | null;
  readonly updatedById: number | null;
  readonly updatedAt: Date;
}

const STATE_IDS = { opened: 1, reopened: 1, closed: 2, merged: 3 } as const;

/** The number of a state. */
export const stateId = (state: keyof typeof STATE_IDS): number => STATE_IDS[state];

/** The states that actions lead from and to. */
const TRANSITIONS = {
  close: { previous: STATE_IDS.opened, current: STATE_IDS.closed },
  reopen: { previous: STATE_IDS.closed, current: STATE_IDS.opened },
  merge: { previous: STATE_IDS.opened, current: STATE_IDS.merged },
} as const;

/** The changes of an action on the state; none of any other. */
export function stateChanges(action: string): FieldChanges {
  return isTransition(action) ? { state_id: TRANSITIONS[action] } : {};
}

const isTransition = (action: string): action is keyof typeof TRANSITIONS => action in TRANSITIONS;

/** The changes of those of some values that differ. */
export function differences(before: object, after: object): FieldChanges {
  const previous = new Map<string, unknown>(Object.entries(before));
  return Object.fromEntries(
    Object.entries(after).flatMap(([name, current]: [string, unknown]) =>
      previous.get(name) === current ? [] : [[name, { previous: previous.get(name), current }]],
    ),
  );
}

/** What a new object has: everything from null. */
export const firstValues = (values: object): FieldChanges =>
  Object.fromEntries(
    Object.entries(values).map(([name, current]: [string, unknown]) => [
      name,
      { previous: null, current },
    ]),
  );

/** The values of a row that `differences` compares. */
export const comparedValues = (row: ChangedRow): object => ({
  title: row.title,
  description: row.description,
  milestone_id: row.milestoneId,
  updated_by_id: row.updatedById,
  updated_at: formatTime(row.updatedAt),
});

/** The change of the labels that there are now; none without one. */
export function labelChanges(
  current: readonly Label[],
  change: TriageChange['labels'],
  objects: V4SharedObjects,
): FieldChanges {
  if (change === undefined || change.added.length + change.removed.length === 0) return {};
  const added = new Set(change.added.map(({ id }) => id));
  const previous = [...current.filter(({ id }) => !added.has(id)), ...change.removed];
  const shown = (labels: readonly Label[]): object[] => labels.map((each) => objects.label(each));
  return { labels: { previous: shown(previous), current: shown(current) } };
}

/** The change of a list of people; none where it has none. @param present the users of a list */
export function peopleChanges(
  field: 'assignees' | 'reviewers',
  before: readonly number[] | undefined,
  after: readonly number[],
  present: (ids: readonly number[]) => object[],
): FieldChanges {
  if (before === undefined || !isOtherList(before, after)) return {};
  return { [field]: { previous: present(before), current: present(after) } };
}

/** Whether two lists of IDs differ. */
const isOtherList = (one: readonly number[], other: readonly number[]): boolean =>
  one.length !== other.length || one.some((id, index) => id !== other[index]);
