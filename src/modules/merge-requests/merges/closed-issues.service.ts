import { Injectable } from '@nestjs/common';
import { describeInParts, Page, type PageRequest } from '../../../platform/pagination/index.js';
import type { ProjectAccess, ProjectRef, Subject } from '../../authorization/index.js';
import {
  COMMITS_READ_FOR_REFERENCES,
  type Issuable,
  IssuableKinds,
  type LoadedIssuable,
  mayName,
  type Referenced,
  ReferenceResolver,
  referenceText,
} from '../../issuables/index.js';
import { type Closing, mayEdit } from '../../issues/index.js';
import { ForksRepository } from '../../projects/index.js';
import { ProjectStorage } from '../../storage/index.js';
import { ActingUsers } from '../../users/index.js';
import {
  type LocatedMergeRequest,
  MergeRequestsRepository,
} from '../model/merge-requests.repository.js';
import { assertReadable } from '../model/merge-request.policy.js';
import { type VersionEnds, VersionsRepository } from '../versions/versions.repository.js';

/** The issues that merge requests close (docs/reference/references.md#closing-references). */
@Injectable()
export class ClosedIssuesService {
  constructor(
    private readonly mergeRequests: MergeRequestsRepository,
    private readonly versions: VersionsRepository,
    private readonly storage: ProjectStorage,
    private readonly forks: ForksRepository,
    private readonly references: ReferenceResolver,
    private readonly kinds: IssuableKinds,
    private readonly users: ActingUsers,
  ) {}

  /**
   * Lists the issues that merging a request closes, in any state
   * (docs/reference/merge-requests.md#get-projectsidmerge_requestsmerge_request_idcloses_issues).
   * @throws DomainError record not found, forbidden
   */
  async list(
    access: ProjectAccess,
    caller: Subject,
    id: number,
    request: PageRequest,
  ): Promise<Page<LoadedIssuable>> {
    const row = await this.mergeRequests.findIn(access.project.id, id);
    const mergeRequest = assertReadable(row, access, caller);
    const found = await this.find(mergeRequest, access.project, caller);
    const ids = found.map(({ issuable }) => issuable.id);
    const page = Page.of(ids, request);
    const kind = this.kinds.of('Issue');
    const sizes = await kind.textBytesOf(page.items);
    return describeInParts(
      page,
      (issueId) => sizes.get(issueId) ?? 0,
      async (issueIds) => {
        const issues = await kind.load(issueIds, caller);
        return issueIds.flatMap((issueId) => issues.get(issueId) ?? []);
      },
    );
  }

  /**
   * Finds the issues that description and commits refer to with a closing reference and that the reader may
   * read: first those of the target project by iid, then those of other projects. None when the target branch
   * is not the default branch.
   * @param project the target project
   */
  async find(
    mergeRequest: LocatedMergeRequest,
    project: ProjectRef,
    reader: Subject,
  ): Promise<Referenced[]> {
    if (mergeRequest.targetBranch !== project.defaultBranch) return [];
    const version = await this.versions.findNewest(mergeRequest.id);
    const closing = await this.closingTexts(mergeRequest, version, project);
    const read = (await this.references.read(closing)).map(({ closings }) => closings);
    if (read.every((references) => references.length === 0)) return [];
    const found = (await this.references.findEach(read, project, reader)).flat();
    const source = await this.forks.sourceOf(project.id);
    // A fork does not close issues of the project that it was forked from.
    return [...new Set(found)]
      .filter(({ issuable }) => issuable.projectId !== source)
      .sort((a, b) => rank(a, project) - rank(b, project) || a.issuable.iid - b.issuable.iid);
  }

  /**
   * Returns those of some merge requests into a project, of which the reader may read all, whose descriptions close an issue of the
   * project.
   */
  async filterClosing(
    mergeRequests: readonly LocatedMergeRequest[],
    issue: Pick<Issuable, 'id'>,
    project: ProjectRef,
    reader: Subject,
  ): Promise<LocatedMergeRequest[]> {
    const some = mergeRequests.filter((one) => one.targetBranch === project.defaultBranch);
    const read = await this.references.read(some.map(({ description }) => description ?? ''));
    const closings = read.map((one) => one.closings);
    const found = await this.references.findEach(closings, project, reader);
    return some.filter((_, at) => found[at]?.some(({ issuable }) => issuable.id === issue.id));
  }

  /** Finds the issues that a merged request closes in the name of its merger: those that the merger may edit. */
  async findClosings(mergeRequest: LocatedMergeRequest, mergerId: number): Promise<Closing[]> {
    const merger = await this.users.findOnProject(mergerId, mergeRequest.projectId);
    if (merger === null) return [];
    const { user, access } = merger;
    const { project } = access;
    const issues = await this.find(mergeRequest, project, user);
    return issues
      .filter((issue) => mayEdit(issue.issuable, issue.access, user))
      .map(({ issuable, access: { project: home } }) => {
        const name = `!${String(mergeRequest.iid)}`;
        const isNamed = mayName(project, home);
        return {
          projectId: issuable.projectId,
          issueId: issuable.id,
          actorId: user.id,
          via: `merge request ${isNamed ? referenceText(name, project, home) : `\\${name}`}`,
        };
      });
  }

  /** Reads the texts of a merge request that may close issues: its description, and the messages of its commits. */
  private async closingTexts(
    { description }: LocatedMergeRequest,
    version: VersionEnds | null,
    project: ProjectRef,
  ): Promise<string[]> {
    const messages = version === null ? [] : await this.commitMessages(version, project);
    return [description ?? '', ...messages].filter((text) => this.references.mayClose([text]));
  }

  /** Reads the messages of a version's commits, newest first. */
  private async commitMessages(version: VersionEnds, project: ProjectRef): Promise<string[]> {
    const repository = this.storage.repository(project);
    const { newest } = await repository.pushedCommits({
      tip: version.head,
      base: version.start,
      limit: COMMITS_READ_FOR_REFERENCES,
    });
    const commits = await repository.objects.commits(newest);
    return commits.flatMap((commit) => (commit === null ? [] : [commit.message]));
  }
}

/** Sorts the target project before other projects, which keep the order of their IDs. */
const rank = ({ issuable }: Referenced, { id }: ProjectRef): number =>
  issuable.projectId === id ? 0 : issuable.projectId;
