import type { Subject } from '../../authorization/index.js';
import type { TimeStats } from '../changes/times.repository.js';
import { formatDuration } from '../model/durations.js';

/** The time that was estimated and spent. */
export class V4TimeStatsView {
  /** In seconds. */
  time_estimate!: number;
  /** In seconds. */
  total_time_spent!: number;
  /** Such as `1w 2d`; null without an estimate. */
  human_time_estimate!: string | null;
  /** The same of the time spent. */
  human_total_time_spent!: string | null;
}

/** How texts refer to an issue or merge request. */
export class V4ReferencesView {
  /** In its project: `#1`, `!1`. */
  short!: string;
  /** In the project, or the group, of the list. */
  relative!: string;
  /** Anywhere: `group/project#1`. */
  full!: string;
}

/** The check boxes of a description. */
export class V4TaskCompletionView {
  count!: number;
  completed_count!: number;
}

export const presentTime = ({ timeEstimate, totalTimeSpent }: TimeStats): V4TimeStatsView => ({
  time_estimate: timeEstimate,
  total_time_spent: totalTimeSpent,
  human_time_estimate: timeEstimate === 0 ? null : formatDuration(timeEstimate),
  human_total_time_spent: totalTimeSpent === 0 ? null : formatDuration(totalTimeSpent),
});

/** Where a list is read, which decides how its items are referred to. */
export type ListPlace = 'project' | 'group' | 'anywhere';

/** Who reads a list, and where. */
export interface ListReading {
  readonly reader: Subject;
  /** Default: `project`. */
  readonly place?: ListPlace | undefined;
}

/** @param short such as `#1` @param projectPath namespace and path */
export function presentReferences(
  short: string,
  projectPath: string,
  place: ListPlace = 'project',
): V4ReferencesView {
  const full = projectPath + short;
  const inGroup = full.slice(full.indexOf('/') + 1);
  const relative = { project: short, group: inGroup, anywhere: full }[place];
  return { short, relative, full };
}

const TASK = /^[ \t>]{0,64}(?:[-*+]|\d{1,9}[.)])[ \t]{1,8}\[([ xX])\][ \t]/gm;

export function presentTasks(description: string | null): V4TaskCompletionView {
  const marks = [...(description ?? '').matchAll(TASK)].map(([, mark]) => mark);
  return { count: marks.length, completed_count: marks.filter((mark) => mark !== ' ').length };
}
