import type { IssueState } from '../model/issue.entity.js';

/** How many issues there are, by state. */
export class V4IssueCountsView {
  all!: number;
  closed!: number;
  opened!: number;
}

export class V4IssueStatisticsView {
  counts!: V4IssueCountsView;
}

/** The numbers of issues that a list has. */
export class V4IssuesStatisticsView {
  statistics!: V4IssueStatisticsView;
}

export const presentStatistics = ({
  opened,
  closed,
}: Readonly<Record<IssueState, number>>): V4IssuesStatisticsView => ({
  statistics: { counts: { all: opened + closed, closed, opened } },
});
