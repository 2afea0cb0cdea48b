import { Injectable } from '@nestjs/common';
import { groupBy } from '../../../platform/collections/index.js';
import { recordNotFound } from '../../../platform/errors/index.js';
import type { Page, PageRequest } from '../../../platform/pagination/index.js';
import { allows, type GroupRef, type ProjectAccess } from '../../authorization/index.js';
import { isEnabled, MilestonesRepository, NEWEST_FIRST, WideLists } from '../../issuables/index.js';
import type { User } from '../../users/index.js';
import type { IssueWithRelations } from '../model/issues.repository.js';
import type { IssueScope, LabelMatch, ListConditions, ListFilter } from './issue-list.sql.js';
import { IssueListsRepository } from './issue-lists.repository.js';

type IssuePage = Promise<Page<IssueWithRelations>>;

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
    reader: User,
    filter: ListFilter,
    request: PageRequest,
    match: LabelMatch = 'any',
  ): IssuePage {
    const scopes = await this.lists.findAuthorScopes(reader);
    return this.list(reader, { ...filter, scopes, match, own: true }, request);
  }

  /** Lists the issues whose assignee is the reader, in projects that the reader still sees. */
  async listOfAssignee(reader: User, filter: ListFilter, request: PageRequest): IssuePage {
    const scopes = await this.lists.findAssigneeScopes(reader);
    const others = { ...filter.others, assigneeId: reader.id };
    return this.list(reader, { ...filter, others, scopes, match: 'all' }, request);
  }

  /** Lists the issues of all projects that the reader sees. Issues need all of the labels. */
  listAll(reader: User, filter: ListFilter, request: PageRequest): IssuePage {
    return this.wide.read(reader.id, async () => {
      const scopes = await this.lists.findAllScopes(reader);
      return this.list(reader, { ...filter, scopes, match: 'all' }, request);
    });
  }

  /** Lists the issues of a group's own projects. Issues need all of the labels. */
  async listOfGroup(
    group: GroupRef,
    reader: User,
    filter: ListFilter,
    request: PageRequest,
  ): IssuePage {
    const scopes = await this.lists.findGroupScopes(group.id, reader);
    return this.list(reader, { ...filter, scopes, match: 'all' }, request);
  }

  /** Lists the issues of a project. @param match whether issues need all of the labels or one of them */
  listOfProject(
    access: ProjectAccess,
    reader: User,
    filter: ListFilter,
    request: PageRequest,
    match: LabelMatch = 'any',
  ): IssuePage {
    return this.list(reader, { ...filter, scopes: projectScopes(access), match }, request);
  }

  /** @throws DomainError record not found */
  async listOfMilestone(
    access: ProjectAccess,
    reader: User,
    milestoneId: number,
    request: PageRequest,
  ): IssuePage {
    const milestone = await this.milestones.findIn(access.project.id, milestoneId);
    if (milestone === null) throw recordNotFound('milestone');
    const scopes = projectScopes(access).map((scope) => ({ ...scope, milestoneId }));
    const states = ['opened', 'closed'] as const;
    return this.lists.findPage({ scopes, states, order: NEWEST_FIRST }, reader, request);
  }

  private async list(
    reader: User,
    {
      scopes,
      match,
      milestone,
      labels,
      ...rest
    }: ListFilter & { scopes: readonly IssueScope[]; match: LabelMatch; own?: boolean },
    request: PageRequest,
  ): IssuePage {
    const inMilestone = await this.narrowToMilestone(scopes, milestone);
    const narrowed = await this.narrowToLabels(inMilestone, labels, match);
    return this.lists.findPage({ ...rest, ...narrowed }, reader, request);
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
          (labelsOf.get(scope.projectId) ?? []).map(({ id }) => ({ ...scope, labelId: id })),
        ),
      };
    }
    const [first] = names;
    const narrowed = scopes.flatMap((scope) => {
      const labels = labelsOf.get(scope.projectId) ?? [];
      // The names of a project's labels differ.
      if (labels.length < names.length) return [];
      return labels
        .filter(({ name }) => name === first)
        .map(({ id }) => ({ ...scope, labelId: id }));
    });
    if (names.length === 1) return { scopes: narrowed };
    const ids = found.filter(({ name }) => name !== first).map(({ id }) => id);
    return { scopes: narrowed, furtherLabels: { ids, count: names.length - 1 } };
  }
}

/** The scope of a project's list; none if the project has issues disabled. */
function projectScopes(access: ProjectAccess): IssueScope[] {
  const { project } = access;
  const readsConfidential = allows(access, 'issue:read-confidential');
  return isEnabled(project, 'Issue') ? [{ projectId: project.id, readsConfidential }] : [];
}
