import type { DueFilter } from '../../issuables/index.js';

/** Which due dates a value stands for, on a day. */
type DueDates = (today: Date) => DueFilter;

const DAY_MS = 24 * 60 * 60_000;

const dateOf = (time: number): string => new Date(time).toISOString().slice(0, 10);
const daysFrom = (today: Date, days: number): string => dateOf(today.getTime() + days * DAY_MS);
/** The last day of a month, counted from that of a day. */
const monthEnd = (today: Date, months: number): string =>
  dateOf(Date.UTC(today.getUTCFullYear(), today.getUTCMonth() + months + 1, 0));
const monthStart = (today: Date): string =>
  dateOf(Date.UTC(today.getUTCFullYear(), today.getUTCMonth(), 1));

/** The values of `due_date` in lists of issues (docs/reference/v4-issues.md#get-apiv4issues). Weeks begin on Mondays. */
export const DUE_DATES = {
  '0': () => 'none',
  any: () => 'any',
  today: (today) => ({ from: daysFrom(today, 0), to: daysFrom(today, 0) }),
  tomorrow: (today) => ({ from: daysFrom(today, 1), to: daysFrom(today, 1) }),
  overdue: (today) => ({ to: daysFrom(today, -1) }),
  week: (today) => {
    const sinceMonday = (today.getUTCDay() + 6) % 7;
    return { from: daysFrom(today, -sinceMonday), to: daysFrom(today, 6 - sinceMonday) };
  },
  month: (today) => ({ from: monthStart(today), to: monthEnd(today, 0) }),
  next_month_and_previous_two_weeks: (today) => ({
    from: daysFrom(today, -14),
    to: monthEnd(today, 1),
  }),
} satisfies Record<string, DueDates>;

export type DueDate = keyof typeof DUE_DATES;

export const toDueFilter = (dueDate: DueDate, today: Date): DueFilter => DUE_DATES[dueDate](today);
