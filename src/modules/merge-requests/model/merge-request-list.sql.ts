import {
  type EntityColumns,
  opaqueArray,
  rowById,
  rowsByKey,
} from '../../../platform/database/index.js';
import type { PageRequest } from '../../../platform/pagination/index.js';
import { existingProject, Level, levelOnProject, projectsIn } from '../../authorization/index.js';
import {
  countOfIssuables,
  filterConditions,
  hasAmong,
  hasFilters,
  type IssuableFilters,
  type ListOrder,
  type ListStatement,
  NEWEST_FIRST,
  pageOfIssuables,
} from '../../issuables/index.js';
import { DRAFT_TITLE, type MergeRequest, type MergeRequestState } from './merge-request.entity.js';
import { locatedColumns } from './merge-request.sql.js';

/** The filters and the order of a list; all filters have to match. */
export interface MergeRequestFilter {
  states: readonly MergeRequestState[];
  /** Numbers within the project. */
  iids?: readonly number[] | undefined;
  sourceBranch?: string | undefined;
  targetBranch?: string | undefined;
  /** Distinct names, all of which requests have. */
  labels?: readonly string[] | undefined;
  /** ID of a milestone. */
  milestoneId?: number | undefined;
  /** A title; null for requests without a milestone. */
  milestone?: string | null | undefined;
  /** Further filters. */
  others?: IssuableFilters | undefined;
  order: ListOrder;
}

/** What a list is about. */
export interface ListQuestion {
  /** The target projects. */
  readonly projectIds: readonly number[];
  readonly filter: MergeRequestFilter;
  readonly request: PageRequest;
  /** Null for anonymous readers. */
  readonly readerId: number | null;
}

/**
 * Selects one page of the merge requests of some projects, and the next one if there is any. Without filters it also
 * counts.
 * @param columns those of a `LocatedMergeRequest`
 */
export function pageStatement(
  columns: EntityColumns<MergeRequest>,
  question: ListQuestion,
): ListStatement & { count?: string } {
  const { filter, request, readerId } = question;
  const parameters = firstParameters(question);
  const parameter = parameterOf(parameters);
  const sql = pageOfIssuables({
    type: 'MergeRequest',
    columns: locatedColumns(columns.without('description'), 't'),
    tops: (count) => firstOfEachState(question, count, parameter),
    order: filter.order,
    request,
    parameter,
    readerId,
  });
  const page = { sql, parameters };
  return isFiltered(filter) ? page : { ...page, count: KEPT_COUNT };
}

/** Counts the requests of a filtered list. */
export function countStatement(question: ListQuestion): ListStatement {
  const filter = { ...question.filter, order: NEWEST_FIRST };
  const parameters = firstParameters(question);
  const parameter = parameterOf(parameters);
  const sql = countOfIssuables((count) =>
    firstOfEachState({ ...question, filter }, count, parameter),
  );
  return { sql, parameters };
}

type Parameter = (value: unknown) => string;

const parameterOf =
  (parameters: unknown[]): Parameter =>
  (value) =>
    `$${String(parameters.push(value))}`;

/** The parameters of `firstOfEachState` that all lists have. */
const firstParameters = ({ projectIds, filter }: ListQuestion): unknown[] => [
  projectIds,
  filter.states,
];

/** Whether a list has fewer requests than those of its projects and states. */
export const isFiltered = ({
  states: _states,
  order: _order,
  others = {},
  ...own
}: MergeRequestFilter) =>
  hasFilters(others) || Object.values<unknown>(own).some((value) => value !== undefined);

/** Reads the counters. Those that were reopened are counted with the open ones, with which each list has them. */
const KEPT_COUNT = `
  SELECT coalesce(sum(CASE wanted.state WHEN 'opened' THEN c.opened WHEN 'closed' THEN c.closed
                                        WHEN 'merged' THEN c.merged ELSE 0 END), 0)::int
    FROM merge_request_counts c
   CROSS JOIN unnest(${opaqueArray('$2', 'varchar')}) AS wanted (state)
   WHERE c.project_id = ANY(${opaqueArray('$1', 'int')})`;

/**
 * The `FROM` clause with `id` and time `at` of the first requests of each project and state. An index has those of a state
 * in order, so no more rows are read than the page needs; filtered by iid, rows are found by their iid.
 */
function firstOfEachState({ filter }: ListQuestion, count: number, parameter: Parameter): string {
  const { milestone } = filter;
  const { by, direction } = filter.order;
  const conditions = ['', ...conditionsOf(filter, parameter)].join('\n      AND ');
  return `
  FROM unnest(${opaqueArray('$1', 'int')}) AS home (project_id)
  ${typeof milestone === 'string' ? milestoneOfProject(milestone, parameter) : ''}
 CROSS JOIN unnest(${opaqueArray('$2', 'varchar')}) AS wanted (state)
 CROSS JOIN LATERAL (
   SELECT m.id, m.${by} AS at FROM merge_requests m
    WHERE m.project_id = home.project_id AND m.state = wanted.state AND m.deleted_at IS NULL
      ${conditions}
    ORDER BY m.${by} ${direction}, m.id ${direction} LIMIT ${String(count)}) top`;
}

function conditionsOf(filter: MergeRequestFilter, parameter: Parameter): string[] {
  const { iids, sourceBranch, targetBranch, labels = [], milestoneId, milestone } = filter;
  return [
    ...(iids === undefined ? [] : [`m.iid = ANY(${opaqueArray(parameter(iids), 'int')})`]),
    ...(sourceBranch === undefined ? [] : [`m.source_branch = ${parameter(sourceBranch)}`]),
    ...(targetBranch === undefined ? [] : [`m.target_branch = ${parameter(targetBranch)}`]),
    ...(labels.length === 0 ? [] : [hasLabels(labels, parameter)]),
    ...(milestoneId === undefined ? [] : [`m.milestone_id = ${parameter(milestoneId)}`]),
    ...(milestone === null ? ['m.milestone_id IS NULL'] : []),
    ...(typeof milestone === 'string' ? ['m.milestone_id = named.id'] : []),
    ...filterConditions(filter.others ?? {}, {
      type: 'MergeRequest',
      alias: 'm',
      parameter,
      draftTitle: DRAFT_TITLE,
    }),
  ];
}

/** The names of a project's labels and those of its group differ. */
const hasLabels = (names: readonly string[], parameter: Parameter): string => `
  (SELECT count(*) FROM label_links link JOIN labels label ON label.id = link.label_id
    WHERE link.target_type = 'MergeRequest' AND link.target_id = m.id
      AND label.name = ANY(${opaqueArray(parameter(names), 'varchar')})
  ) = ${parameter(names.length)}`;

/** The milestone with a title, of the project or its group, looked up once in each project. */
function milestoneOfProject(title: string, parameter: Parameter): string {
  const wanted = parameter(title);
  const titled = (owner: string): string =>
    rowsByKey('milestones', 'milestones.title', wanted, `milestones.${owner}`);
  return `
  CROSS JOIN LATERAL (
    SELECT own.id FROM ${titled('project_id = home.project_id')} own
     UNION ALL
    SELECT inherited.id FROM ${rowById('projects', 'home.project_id')} p
     CROSS JOIN ${titled('group_id = p.namespace_id')} inherited) named`;
}

/** Which projects a list across projects has: those of a group, all, or those in which the reader is author or assignee. */
export type ProjectsOfList = 'group' | 'all' | 'author' | 'assignee';

const CANDIDATES: Readonly<Record<ProjectsOfList, string>> = {
  group: `${projectsIn('$4')} p JOIN ${rowById('namespaces', 'p.namespace_id')} n ON n.deleted_at IS NULL`,
  all: `merge_request_counts counted ${existingProject('counted.project_id')}`,
  author: `(SELECT DISTINCT project_id FROM merge_requests WHERE author_id = $1) own ${existingProject('own.project_id')}`,
  assignee: `(SELECT DISTINCT project_id FROM merge_requests m WHERE ${hasAmong('m', 'assignee_ids', '$1')}) own ${existingProject('own.project_id')}`,
};

/**
 * Selects the projects that have merge requests enabled and whose requests the reader may read: all of them, or as author or
 * assignee. A group's archived projects are left out.
 * @param $1 the reader's ID, null for anonymous readers @param $2 whether the reader is an administrator @param $3 visibility levels that the reader sees
 * @param $4 the group
 */
export function listedProjects(list: ProjectsOfList): string {
  const least = list === 'author' || list === 'assignee' ? Level.GUEST : Level.REPORTER;
  return `
    SELECT p.id FROM ${CANDIDATES[list]}
     CROSS JOIN LATERAL (SELECT ${levelOnProject('p', 'n', '$1')} AS level OFFSET 0) reader
     WHERE p.merge_requests_enabled ${list === 'group' ? 'AND NOT p.archived' : ''}
       AND ($2 OR p.visibility_level = ANY(${opaqueArray('$3', 'int')}) OR reader.level >= ${String(least)})`;
}
