import { Injectable } from '@nestjs/common';
import { MIB } from '../../../platform/limits/index.js';
import { describeInParts, Page, type PageRequest } from '../../../platform/pagination/index.js';
import {
  canSee,
  type ProjectAccess,
  ProjectAccessRepository,
  type ProjectRef,
  type Subject,
  WideLists,
} from '../../authorization/index.js';
import {
  type Issuable,
  IssuableKinds,
  MentionsRepository,
  type Referenced,
  ReferenceResolver,
} from '../../issuables/index.js';
import { IssuesService } from '../../issues/index.js';
import { MergeRequestKind } from '../model/merge-request-kind.js';
import { mayRead } from '../model/merge-request.policy.js';
import {
  type LocatedMergeRequest,
  MergeRequestsRepository,
  type MergeRequestWithRelations,
} from '../model/merge-requests.repository.js';
import { ClosedIssuesService } from './closed-issues.service.js';

/** The newest merge requests that mention an issue which are listed as related. */
const LISTED_MENTIONS = 1_000;

/** The newest merge requests that mention an issue whose descriptions are read for closing references. */
const READ_MENTIONS = 100;

/** As far as they have this much text together, in bytes. */
const READ_BYTES = 4 * MIB;

/** The merge requests that have to do with an issue, as far as their reader may read them. */
@Injectable()
export class RelatedMergeRequestsService {
  constructor(
    private readonly issues: IssuesService,
    private readonly kinds: IssuableKinds,
    private readonly mentions: MentionsRepository,
    private readonly references: ReferenceResolver,
    private readonly projects: ProjectAccessRepository,
    private readonly kind: MergeRequestKind,
    private readonly mergeRequests: MergeRequestsRepository,
    private readonly closedIssues: ClosedIssuesService,
    private readonly wide: WideLists,
  ) {}

  /**
   * Lists the merge requests that mention an issue, and those that its description mentions: first those of its project by iid,
   * then those of other projects.
   * @throws DomainError record not found
   */
  async list(
    access: ProjectAccess,
    reader: Subject,
    iid: number,
    request: PageRequest,
  ): Promise<Page<MergeRequestWithRelations>> {
    const { issuable: issue } = await this.issues.read(access, reader, { iid });
    const found = [
      ...(await this.findMentioned(issue.description ?? '', access.project, reader)),
      ...(await this.findMentioning({ type: 'Issue', id: issue.id }, reader)),
    ];
    const byId = new Map(found.map((one) => [one.id, one]));
    const rank = ({ projectId }: Issuable): number =>
      projectId === issue.projectId ? 0 : projectId;
    const sorted = [...byId.values()].sort((a, b) => rank(a) - rank(b) || a.iid - b.iid);
    return this.page(sorted, reader, request);
  }

  /**
   * Lists the merge requests into the project of an issue that by their descriptions close it when they are merged, or have closed it,
   * newest first.
   * @throws DomainError record not found
   */
  async listClosing(
    access: ProjectAccess,
    reader: Subject,
    iid: number,
    request: PageRequest,
  ): Promise<Page<MergeRequestWithRelations>> {
    const { project } = access;
    const issue = await this.kinds.readByNumber('Issue', access, reader, iid);
    return this.wide.read(project.client ?? {}, async () => {
      const candidates = await this.findCandidates(project, issue);
      const readable = candidates.filter((one) => mayRead(one, access, reader));
      const closing = await this.closedIssues.filterClosing(readable, issue, project, reader);
      return this.page(
        closing.sort((a, b) => b.id - a.id),
        reader,
        request,
      );
    });
  }

  private async findMentioned(
    description: string,
    project: ProjectRef,
    reader: Subject,
  ): Promise<Issuable[]> {
    const [read] = await this.references.read([description]);
    const found: Referenced[] = await this.references.find(read?.issuables ?? [], project, reader);
    return found.map(({ issuable }) => issuable).filter(({ type }) => type === 'MergeRequest');
  }

  private async findMentioning(
    issue: Pick<Issuable, 'type' | 'id'>,
    reader: Subject,
  ): Promise<Issuable[]> {
    const origins = await this.mentions.findMentioningRequests(issue, LISTED_MENTIONS);
    if (origins.length === 0) return [];
    const found = await this.kind.find(origins.map(({ id }) => id));
    const projectIds = [...found.values()].map(({ projectId }) => projectId);
    const accesses = await this.projects.findByIds(reader, projectIds);
    return [...found.values()].filter((one) => {
      const access = accesses.get(one.projectId);
      return access && canSee(access) && this.kind.allowsReading(one, access, reader);
    });
  }

  /** Finds the newest merge requests into the project of an issue that mention it, as far as their descriptions may be read. */
  private async findCandidates(
    project: ProjectRef,
    issue: Issuable,
  ): Promise<LocatedMergeRequest[]> {
    const origins = await this.mentions.findMentioningRequests(issue, LISTED_MENTIONS);
    const own = origins.filter(({ projectId }) => projectId === project.id).map(({ id }) => id);
    const newest = own.sort((a, b) => b - a).slice(0, READ_MENTIONS);
    const sizes = await this.kind.textBytesOf(newest);
    let bytes = 0;
    const read = newest.filter((id) => (bytes += sizes.get(id) ?? 0) <= READ_BYTES);
    return this.mergeRequests.findByIds(read);
  }

  private async page(
    sorted: readonly Pick<Issuable, 'id'>[],
    reader: Subject,
    request: PageRequest,
  ): Promise<Page<MergeRequestWithRelations>> {
    const page = Page.of(
      sorted.map(({ id }) => id),
      request,
    );
    const sizes = await this.kind.textBytesOf(page.items);
    return describeInParts(
      page,
      (id) => sizes.get(id) ?? 0,
      async (ids) => {
        const loaded = await this.kind.load(ids, reader);
        return ids.flatMap((id) => loaded.get(id) ?? []);
      },
    );
  }
}
