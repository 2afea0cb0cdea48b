import { Injectable } from '@nestjs/common';
import { groupBy } from '../../../platform/collections/index.js';
import { recordNotFound } from '../../../platform/errors/index.js';
import type { Page, PageRequest } from '../../../platform/pagination/index.js';
import {
  allows,
  type GroupRef,
  type ListReader,
  type ProjectAccess,
  type Subject,
  WideLists,
} from '../../authorization/index.js';
import {
  hasFilters,
  isEnabled,
  MilestonesRepository,
  NEWEST_FIRST,
} from '../../issuables/index.js';
import type { IssueState } from '../model/issue.entity.js';
import type { IssueWithRelations } from '../model/issues.repository.js';
import type { IssueScope, LabelMatch, ListConditions, ListFilter } from './issue-list.sql.js';
import { IssueListsRepository, type NamedRow } from './issue-lists.repository.js';

type IssuePage = Promise<Page<IssueWithRelations>>;

type StateCounts = Promise<Readonly<Record<IssueState, number>>>;

/** A list before its milestone and labels are looked up. */
type ListInput = ListFilter & { scopes: readonly IssueScope[]; match: LabelMatch; own?: boolean };

const NEWEST_OF_ALL = { states: ['opened', 'closed'], order: NEWEST_FIRST } as const;

const FIRST_PAGE: PageRequest = { page: 1, perPage: 1 };

/** Lists the issues that the reader may read (docs/reference/issues.md#get-issues). */
@Injectable()
export class IssueListsService {
  constructor(
    private readonly lists: IssueListsRepository,
    private readonly milestones: MilestonesRepository,
    private readonly wide: WideLists,
  ) {}

  /** Lists the issues that the reader created, in projects that the reader still sees. */
  async listOfAuthor(
    reader: NonNullable<Subject>,
    filter: ListFilter,
    request: PageRequest,
    match: LabelMatch = 'any',
  ): IssuePage {
    const scopes = await this.lists.findAuthorScopes(reader);
    return this.list(reader, { ...filter, scopes, match, own: true }, request);
  }

  /**
   * Lists the issues that are assigned to the reader, in projects that the reader still sees.
   * @param filter has the reader among the assignees
   */
  async listOfAssignee(
    reader: NonNullable<Subject>,
    filter: ListFilter,
    request: PageRequest,
  ): IssuePage {
    const scopes = await this.lists.findAssigneeScopes(reader);
    return this.list(reader, { ...filter, scopes, match: 'all' }, request);
  }

  /** Lists the issues of all projects that the reader sees. Issues need all of the labels. */
  listAll({ reader, client }: ListReader, filter: ListFilter, request: PageRequest): IssuePage {
    return this.wide.read(client, async () => {
      const scopes = await this.lists.findAllScopes(reader);
      return this.list(reader, { ...filter, scopes, match: 'all' }, request);
    });
  }

  /** Lists the issues of a group's own projects. Issues need all of the labels. */
  listOfGroup(
    group: GroupRef,
    { reader, client }: ListReader,
    filter: ListFilter,
    request: PageRequest,
  ): IssuePage {
    // A group may have many projects.
    return this.wide.readNarrow(client, { request, isFiltered: true }, async () => {
      const scopes = await this.lists.findGroupScopes(group.id, reader);
      return this.list(reader, { ...filter, scopes, match: 'all' }, request);
    });
  }

  /** Lists the issues of a project. @param match whether issues need all of the labels or one of them */
  listOfProject(
    access: ProjectAccess,
    reader: Subject,
    filter: ListFilter,
    request: PageRequest,
    match: LabelMatch = 'any',
  ): IssuePage {
    const list = { request, isFiltered: isFiltered(filter) };
    return this.wide.readNarrow(access.project.client ?? {}, list, () =>
      this.list(reader, { ...filter, scopes: projectScopes(access), match }, request),
    );
  }

  /** @throws DomainError record not found */
  async listOfMilestone(
    access: ProjectAccess,
    reader: Subject,
    milestoneId: number,
    request: PageRequest,
  ): IssuePage {
    const milestone = await this.milestones.findIn({ projectId: access.project.id }, milestoneId);
    if (milestone === null) throw recordNotFound('milestone');
    const scopes = projectScopes(access).map((scope) => ({ ...scope, milestoneId }));
    return this.wide.readNarrow(access.project.client ?? {}, { request, isFiltered: false }, () =>
      this.lists.findPage({ scopes, ...NEWEST_OF_ALL }, reader, request),
    );
  }

  /** Lists the issues of a group's milestone in its projects. @throws DomainError record not found */
  async listOfGroupMilestone(
    { id: groupId }: GroupRef,
    { reader, client }: ListReader,
    milestoneId: number,
    request: PageRequest,
  ): IssuePage {
    const milestone = await this.milestones.findIn({ groupId }, milestoneId);
    if (milestone === null) throw recordNotFound('milestone');
    return this.wide.readNarrow(client, { request, isFiltered: true }, async () => {
      const scopes = await this.lists.findGroupScopes(groupId, reader);
      const inMilestone = scopes.map((scope) => ({ ...scope, milestoneId }));
      return this.lists.findPage({ scopes: inMilestone, ...NEWEST_OF_ALL }, reader, request);
    });
  }

  /** Counts the issues that `listOfAuthor`, `listOfAssignee` or `listAll` lists, by state. */
  countAcross(
    projects: 'author' | 'assignee' | 'all',
    { reader, client }: ListReader,
    filter: ListFilter,
  ): StateCounts {
    return this.wide.read(client, async () => {
      if (reader === null || projects === 'all') {
        const scopes = await this.lists.findAllScopes(reader);
        return this.count(reader, { ...filter, scopes, match: 'all' });
      }
      const scopes =
        projects === 'author'
          ? await this.lists.findAuthorScopes(reader)
          : await this.lists.findAssigneeScopes(reader);
      return this.count(reader, { ...filter, scopes, match: 'all', own: projects === 'author' });
    });
  }

  /** Counts the issues that `listOfGroup` lists, by state. */
  countOfGroup(group: GroupRef, { reader, client }: ListReader, filter: ListFilter): StateCounts {
    return this.wide.read(client, async () => {
      const scopes = await this.lists.findGroupScopes(group.id, reader);
      return this.count(reader, { ...filter, scopes, match: 'all' });
    });
  }

  /** Counts the issues that `listOfProject` lists, by state. Issues need all of the labels. */
  countOfProject(access: ProjectAccess, reader: Subject, filter: ListFilter): StateCounts {
    const list = { request: FIRST_PAGE, isFiltered: isFiltered(filter) };
    return this.wide.readNarrow(access.project.client ?? {}, list, () =>
      this.count(reader, { ...filter, scopes: projectScopes(access), match: 'all' }),
    );
  }

  private async list(reader: Subject, input: ListInput, request: PageRequest): IssuePage {
    return this.lists.findPage(await this.narrow(input), reader, request);
  }

  private async count(reader: Subject, input: ListInput): StateCounts {
    return this.lists.countByState(await this.narrow(input), reader);
  }

  private async narrow({
    scopes,
    match,
    milestone,
    labels,
    ...rest
  }: ListInput): Promise<Omit<ListConditions, 'readerId'>> {
    const inMilestone = await this.narrowToMilestone(scopes, milestone);
    return { ...rest, ...(await this.narrowToLabels(inMilestone, labels, match)) };
  }

  /** Narrows scopes to a milestone, without the projects that have none of this title. */
  private async narrowToMilestone(
    scopes: readonly IssueScope[],
    title: ListFilter['milestone'],
  ): Promise<IssueScope[]> {
    if (title === undefined) return [...scopes];
    if (title === null) return scopes.map((scope) => ({ ...scope, milestoneId: null }));
    const found = await this.lists.findMilestones(scopes, title);
    const ids = new Map(found.map(({ projectId, id }) => [projectId, id]));
    return scopes.flatMap((scope) => {
      const milestoneId = ids.get(scope.projectId);
      return milestoneId === undefined ? [] : [{ ...scope, milestoneId }];
    });
  }

  /**
   * Narrows scopes to labels, without the projects that lack them. An issue with all of several labels is searched
   * among those with the first one.
   */
  private async narrowToLabels(
    scopes: readonly IssueScope[],
    names: readonly string[],
    match: LabelMatch,
  ): Promise<Pick<ListConditions, 'scopes' | 'furtherLabels'>> {
    if (names.length === 0 || scopes.length === 0) return { scopes };
    const found = await this.lists.findLabels(scopes, names);
    const labelsOf = groupBy(found, ({ projectId }) => projectId);
    if (match === 'any') {
      return {
        scopes: scopes.flatMap((scope) =>
          (labelsOf.get(scope.projectId) ?? []).map((label) => inLabel(scope, label)),
        ),
      };
    }
    const [first] = names;
    const narrowed = scopes.flatMap((scope) => {
      const labels = labelsOf.get(scope.projectId) ?? [];
      // The names of a project's labels and those of its group differ.
      if (labels.length < names.length) return [];
      return labels.filter(({ name }) => name === first).map((label) => inLabel(scope, label));
    });
    if (names.length === 1) return { scopes: narrowed };
    const ids = new Set(found.filter(({ name }) => name !== first).map(({ id }) => id));
    return { scopes: narrowed, furtherLabels: { ids: [...ids], count: names.length - 1 } };
  }
}

const inLabel = (scope: IssueScope, { id, ofGroup }: NamedRow): IssueScope => ({
  ...scope,
  labelId: id,
  isGroupLabel: ofGroup,
});

const isFiltered = ({ labels, milestone, confidential, others = {} }: ListFilter): boolean =>
  labels.length > 0 ||
  [milestone, confidential].some((value) => value !== undefined) ||
  hasFilters(others);

/** The scope of a project's list; none if the project has issues disabled. */
function projectScopes(access: ProjectAccess): IssueScope[] {
  const { project } = access;
  const readsConfidential = allows(access, 'issue:read-confidential');
  return isEnabled(project, 'Issue') ? [{ projectId: project.id, readsConfidential }] : [];
}
