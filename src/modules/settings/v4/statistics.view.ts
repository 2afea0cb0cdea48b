import type { InstanceCounts } from '../statistics.repository.js';

/** Numbers as texts with separators, such as `1,234`. */
export class V4InstanceStatisticsView {
  forks!: string;
  issues!: string;
  merge_requests!: string;
  notes!: string;
  /** Always `0`: there are no snippets. */
  snippets!: string;
  /** With deploy keys. */
  ssh_keys!: string;
  milestones!: string;
  users!: string;
  projects!: string;
  groups!: string;
  /** Without blocked ones. */
  active_users!: string;
}

const NUMBERS = new Intl.NumberFormat('en-US');

export function presentStatistics(counts: InstanceCounts): V4InstanceStatisticsView {
  const shown = (count: number): string => NUMBERS.format(count);
  return {
    forks: shown(counts.forks),
    issues: shown(counts.issues),
    merge_requests: shown(counts.mergeRequests),
    notes: shown(counts.notes),
    snippets: shown(0),
    ssh_keys: shown(counts.sshKeys),
    milestones: shown(counts.milestones),
    users: shown(counts.users),
    projects: shown(counts.projects),
    groups: shown(counts.groups),
    active_users: shown(counts.activeUsers),
  };
}
