import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/index.js';
import { recordNotFound } from '../../../platform/errors/index.js';
import { describeInParts, Page, type PageRequest } from '../../../platform/http/index.js';
import type { GroupRef, ProjectAccess } from '../../access/index.js';
import { MilestonesRepository } from '../../issuables/index.js';
import type { User } from '../../users/index.js';
import { IssueRelations, type IssueWithRelations } from '../issue-relations.js';
import { IssuesRepository, type ListedIssue } from '../issues.repository.js';
import { type ListFilter, NEWEST_FIRST, type Place } from './issue-list.js';
import { IssuePlaces } from './issue-places.js';
import { type LabelMatch, ListNarrowing } from './list-narrowing.js';
import { countStatement, type ListConditions, pageStatement } from './list-sql.js';

/** The lists of issues (docs/reference/issues.md#get-issues), as far as the reader may read them. */
@Injectable()
export class IssueListsService {
  constructor(
    private readonly places: IssuePlaces,
    private readonly narrowing: ListNarrowing,
    private readonly database: Database,
    private readonly issues: IssuesRepository,
    private readonly milestones: MilestonesRepository,
    private readonly relations: IssueRelations,
  ) {}

  /** Those that the reader wrote, in projects that they still see. */
  async ofAuthor(reader: User, filter: ListFilter, request: PageRequest) {
    const places = await this.places.ofAuthor(reader);
    return this.list(reader, { ...filter, places, match: 'any', own: true }, request);
  }

  /** Those of a group's own projects; issues need all of the labels. */
  async ofGroup(group: GroupRef, reader: User, filter: ListFilter, request: PageRequest) {
    const places = await this.places.ofGroup(group.id, reader);
    return this.list(reader, { ...filter, places, match: 'all' }, request);
  }

  ofProject(access: ProjectAccess, reader: User, filter: ListFilter, request: PageRequest) {
    const places = this.places.ofProject(access);
    return this.list(reader, { ...filter, places, match: 'any' }, request);
  }

  /** @throws DomainError record not found */
  async ofMilestone(
    access: ProjectAccess,
    reader: User,
    milestoneId: number,
    request: PageRequest,
  ) {
    const milestone = await this.milestones.findIn(access.project.id, milestoneId);
    if (milestone === null) throw recordNotFound();
    const places = this.places.ofProject(access).map((place) => ({ ...place, milestoneId }));
    const states = ['opened', 'closed'] as const;
    const conditions = { places, labels: [], states, order: NEWEST_FIRST, readerId: reader.id };
    return this.describe(reader, await this.page(conditions, request));
  }

  private async list(
    reader: User,
    {
      places,
      match,
      milestone,
      labels,
      ...rest
    }: ListFilter & { places: readonly Place[]; match: LabelMatch; own?: boolean },
    request: PageRequest,
  ): Promise<Page<IssueWithRelations>> {
    const narrowed = await this.narrowing.run(places, { milestone, labels }, match);
    const page = await this.page({ ...rest, ...narrowed, readerId: reader.id }, request);
    return this.describe(reader, page);
  }

  private async page(conditions: ListConditions, request: PageRequest): Promise<Page<ListedIssue>> {
    if (conditions.places.length === 0) return Page.of<ListedIssue>([], request);
    const page = pageStatement(conditions, request);
    const issues = await this.database.rows<ListedIssue>(page.sql, page.parameters);
    const count = countStatement(conditions);
    const [row] = await this.database.rows<{ count: number }>(count.sql, count.parameters);
    return Page.cut(issues, row?.count ?? 0, request);
  }

  private describe(reader: User, page: Page<ListedIssue>): Promise<Page<IssueWithRelations>> {
    return describeInParts(
      page,
      ({ textBytes }) => textBytes,
      async (issues) => this.relations.load(await this.issues.withDescriptions(issues), reader),
    );
  }
}
