import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import { notFound, recordNotFound } from '../../../platform/errors/index.js';
import {
  allows,
  canSee,
  type ProjectAccess,
  ProjectAccessRepository,
  type Subject,
} from '../../authorization/index.js';
import { type Issuable, IssuableKinds } from '../../issuables/index.js';
import type { User } from '../../users/index.js';
import { mayRead } from '../model/issue.policy.js';
import { IssuesRepository } from '../model/issues.repository.js';
import { linkNotFound, linkRefused } from '../model/refusals.js';
import type { IssueLink } from './issue-link.entity.js';
import { IssueLinksRepository } from './issue-links.repository.js';

/** The most links of an issue. */
export const MAX_LINKS = 100;

/** The other issue of a link, which is named as clients name it. */
export interface LinkTarget {
  /** ID or full path of its project. */
  readonly project: string;
  readonly iid: number;
}

/** An issue with the caller's access to its project. */
interface End {
  readonly issue: Issuable;
  readonly access: ProjectAccess;
}

/** A link of an issue, with the other issue. */
export interface Related {
  readonly link: IssueLink;
  readonly other: End;
}

/** Links between issues (docs/reference/v4-issues.md#links). */
@Injectable()
export class IssueLinksService {
  constructor(
    private readonly work: UnitOfWork,
    private readonly links: IssueLinksRepository,
    private readonly kinds: IssuableKinds,
    private readonly issues: IssuesRepository,
    private readonly projects: ProjectAccessRepository,
  ) {}

  /**
   * Lists the links of an issue whose other issue the reader may read as well, in the order of their creation.
   * @throws DomainError record not found
   */
  async list(access: ProjectAccess, reader: Subject, iid: number): Promise<Related[]> {
    const { id } = await this.kinds.readByNumber('Issue', access, reader, iid);
    const links = await this.links.listOf(id, MAX_LINKS);
    const others = await this.findReadable(
      links.map((link) => otherEnd(link, id)),
      reader,
    );
    return links.flatMap((link) => {
      const other = others.get(otherEnd(link, id));
      return other === undefined ? [] : [{ link, other }];
    });
  }

  /**
   * Finds a link of an issue, if the reader may read both issues.
   * @throws DomainError record not found, link not found
   */
  async read(access: ProjectAccess, reader: Subject, iid: number, id: number): Promise<IssueLink> {
    return (await this.find(access, reader, iid, id)).link;
  }

  /**
   * Links an issue to another one, for users who may edit the issues of both projects.
   * @throws DomainError record not found, not found, link refused
   */
  async create(
    access: ProjectAccess,
    user: User,
    iid: number,
    target: LinkTarget,
  ): Promise<IssueLink> {
    const source = {
      issue: await this.kinds.readByNumber('Issue', access, user, iid),
      access,
    };
    const into = await this.projects.findByReference(user, target.project);
    if (into === null || !canSee(into)) throw notFound('project');
    const other = {
      issue: await this.kinds.readByNumber('Issue', into, user, target.iid),
      access: into,
    };
    if (!mayLink(source, other)) throw linkRefused('not-permitted');
    if (source.issue.id === other.issue.id) throw linkRefused('same-issue');
    return this.work.run(async () => {
      const ids = await this.lock(source, other);
      for (const id of ids) {
        const links = await this.links.listOf(id, MAX_LINKS);
        if (links.some((link) => ids.includes(otherEnd(link, id)))) throw linkRefused('exists');
        if (links.length >= MAX_LINKS) throw linkRefused('too-many');
      }
      return this.links.insert(source.issue.id, other.issue.id);
    });
  }

  /**
   * Removes a link of an issue, for users who may edit the issues of both projects.
   * @returns the link as it was
   * @throws DomainError record not found, link not found
   */
  async remove(access: ProjectAccess, user: User, iid: number, id: number): Promise<IssueLink> {
    const { link, source, other } = await this.find(access, user, iid, id);
    if (!mayLink(source, other)) throw linkNotFound();
    return this.work.run(async () => {
      await this.lock(source, other);
      // One of the issues may have been moved meanwhile.
      if (!(await this.links.remove(link))) throw linkNotFound();
      return link;
    });
  }

  private async find(
    access: ProjectAccess,
    reader: Subject,
    iid: number,
    id: number,
  ): Promise<{ link: IssueLink; source: End; other: End }> {
    const issue = await this.kinds.readByNumber('Issue', access, reader, iid);
    const link = await this.links.findOf(issue.id, id);
    if (link === null) throw linkNotFound();
    const otherId = otherEnd(link, issue.id);
    const other = (await this.findReadable([otherId], reader)).get(otherId);
    if (other === undefined) throw linkNotFound();
    return { link, source: { issue, access }, other };
  }

  /** Finds those of some issues that a reader may read, by ID, with two statements. */
  private async findReadable(
    ids: readonly number[],
    reader: Subject,
  ): Promise<ReadonlyMap<number, End>> {
    if (ids.length === 0) return new Map();
    const issues = [...(await this.kinds.of('Issue').find(ids)).values()];
    const projectIds = issues.map(({ projectId }) => projectId);
    const accesses = await this.projects.findByIds(reader, projectIds);
    return new Map(
      issues.flatMap((issue) => {
        const access = accesses.get(issue.projectId);
        const isReadable = access && canSee(access) && mayRead(issue, access, reader);
        return isReadable ? [[issue.id, { issue, access }] as const] : [];
      }),
    );
  }

  /**
   * Locks both issues in ID order, so that two links at once cannot exceed what either may have.
   * @returns their IDs
   * @throws DomainError record not found when one was deleted meanwhile
   */
  private async lock(...ends: readonly End[]): Promise<number[]> {
    const ids = ends.map(({ issue }) => issue.id);
    await this.issues.lock(ids);
    if ((await this.kinds.of('Issue').find(ids)).size < ids.length) throw recordNotFound('issue');
    return ids;
  }
}

const otherEnd = ({ sourceId, targetId }: IssueLink, id: number): number =>
  sourceId === id ? targetId : sourceId;

const mayLink = (...ends: readonly End[]): boolean =>
  ends.every(({ access }) => allows(access, 'issue:edit-any'));
