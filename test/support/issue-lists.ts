import type { IssueRow } from './issue-rows.js';

const STATES = [undefined, 'opened', 'closed', 'all'] as const;
const LABELS = [undefined, 'red', 'red,blue', ' blue , ,nothing', 'nothing'] as const;
const MILESTONES = [undefined, 'one', 'No Milestone', 'nothing'] as const;
const ORDERS = [undefined, 'created_at', 'updated_at'] as const;
const SORTS = [undefined, 'asc', 'desc'] as const;

export interface Filter {
  state?: (typeof STATES)[number];
  labels?: (typeof LABELS)[number];
  milestone?: (typeof MILESTONES)[number];
  order_by?: (typeof ORDERS)[number];
  sort?: (typeof SORTS)[number];
}

/** An issue, as tests of lists know it. */
export interface Known extends Required<Pick<IssueRow, 'authorId' | 'state' | 'confidential'>> {
  id: number;
  projectId: number;
  assigneeId: number | null;
  milestone: string | null;
  labels: string[];
  created_at: string;
  updated_at: string;
}

/** What a list should answer (docs/reference/issues.md#get-issues): IDs in order. */
export function expected(
  all: readonly Known[],
  filter: Filter,
  match: 'all' | 'any',
  reads: (issue: Known) => boolean,
): number[] {
  const { state = 'all', labels = '', milestone, order_by: by = 'created_at', sort } = filter;
  const names = labels.split(',').map((name) => name.trim());
  const asked = names.filter((name) => name !== '');
  const sign = sort === 'asc' ? 1 : -1;
  return all
    .filter(reads)
    .filter((issue) => state === 'all' || issue.state === state)
    .filter(
      ({ labels: has }) =>
        asked.length === 0 ||
        (match === 'any'
          ? asked.some((name) => has.includes(name))
          : asked.every((name) => has.includes(name))),
    )
    .filter(
      (issue) =>
        milestone === undefined ||
        issue.milestone === (milestone === 'No Milestone' ? null : milestone),
    )
    .sort((a, b) => sign * (a[by].localeCompare(b[by]) || a.id - b.id))
    .map(({ id }) => id);
}

/** Filters of which every pair of values occurs together in one at least. */
export function pairwise(): Filter[] {
  const rest = new Map(combinations().map((filter) => [filter, pairsOf(filter)]));
  const open = new Set([...rest.values()].flat());
  const chosen: Filter[] = [];
  while (open.size > 0) {
    const news = (filter: Filter) =>
      (rest.get(filter) ?? []).filter((pair) => open.has(pair)).length;
    const best = [...rest.keys()].reduce((one, other) => (news(other) > news(one) ? other : one));
    for (const pair of rest.get(best) ?? []) open.delete(pair);
    chosen.push(best);
  }
  return chosen;
}

function pairsOf(filter: Filter): string[] {
  const values = Object.entries(filter).map(([name, value]) => `${name}=${String(value)}`);
  return values.flatMap((one, at) => values.slice(at + 1).map((other) => `${one}&${other}`));
}

/** Every combination of the filters' values. */
export const combinations = (): Filter[] =>
  STATES.flatMap((state) =>
    LABELS.flatMap((labels) =>
      MILESTONES.flatMap((milestone) =>
        ORDERS.flatMap((order_by) =>
          SORTS.map((sort) => ({ state, labels, milestone, order_by, sort })),
        ),
      ),
    ),
  );
