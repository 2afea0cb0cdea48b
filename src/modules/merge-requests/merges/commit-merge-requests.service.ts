import { Injectable } from '@nestjs/common';
import type { Oid } from '../../../git/index.js';
import { Page, type PageRequest } from '../../../platform/pagination/index.js';
import { type ProjectRef, type Subject, WideLists } from '../../authorization/index.js';
import { NEWEST_FIRST } from '../../issuables/index.js';
import { CommitsService } from '../../repository/index.js';
import { ProjectStorage } from '../../storage/index.js';
import type { MergeRequestState } from '../model/merge-request.entity.js';
import {
  MergeRequestsRepository,
  type MergeRequestWithRelations,
} from '../model/merge-requests.repository.js';
import { type RequestCommits, VersionsRepository } from '../versions/versions.repository.js';

/** The newest merge requests of a project whose commits are compared with one. */
const COMPARED_REQUESTS = 10_000;

/** Finds the merge requests that bring a commit: as one of their own, as their merge commit or as their squash commit. */
@Injectable()
export class CommitMergeRequestsService {
  constructor(
    private readonly mergeRequests: MergeRequestsRepository,
    private readonly versions: VersionsRepository,
    private readonly commits: CommitsService,
    private readonly storage: ProjectStorage,
    private readonly wide: WideLists,
  ) {}

  /**
   * Lists them newest first, for a reader who may read all merge requests into the project.
   * @throws DomainError not found, for an unknown commit
   */
  async list(
    project: ProjectRef,
    reader: Subject,
    revision: string,
    states: readonly MergeRequestState[],
    request: PageRequest,
  ): Promise<Page<MergeRequestWithRelations>> {
    const sha = await this.commits.resolve(project, revision);
    return this.wide.read(project.client ?? {}, async () => {
      const candidates = await this.findCandidates(project, states);
      const found = await this.filterBringing(project, sha, candidates);
      if (found.length === 0) return Page.of<MergeRequestWithRelations>([], request);
      const filter = { states, iids: found.map(({ iid }) => iid), order: NEWEST_FIRST };
      return this.mergeRequests.list({ projectIds: [project.id], filter, request }, reader);
    });
  }

  /** Finds the newest merge requests into a project, of which each may bring a commit. */
  private findCandidates(
    { id }: ProjectRef,
    states: readonly MergeRequestState[],
  ): Promise<RequestCommits[]> {
    return this.versions.listCommits(id, states, COMPARED_REQUESTS);
  }

  /** Returns those of some merge requests into a project that bring a commit of its repository. */
  private async filterBringing(
    project: ProjectRef,
    sha: Oid,
    candidates: readonly RequestCommits[],
  ): Promise<RequestCommits[]> {
    const ends = candidates.flatMap(({ start, head }) => [start, head]);
    const compared = [...new Set(ends.filter((oid) => oid !== null))];
    const repository = this.storage.repository(project);
    const descendants =
      compared.length === 0 ? new Set<Oid>() : await repository.descendants(compared, sha);
    return candidates.filter(({ mergeCommitSha, squashCommitSha, start, head }) => {
      if (mergeCommitSha === sha || squashCommitSha === sha) return true;
      return head !== null && descendants.has(head) && !(start && descendants.has(start));
    });
  }
}
