import type { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import {
  type Admission,
  BRANCH_PREFIX,
  type Commit,
  type DiffEntry,
  GitTimeoutError,
  type Oid,
  type PatchForm,
  type Repository,
  ZERO_OID,
} from '../../../git/index.js';
import { settlesWithin } from '../../../platform/async/index.js';
import { recordNotFound } from '../../../platform/errors/index.js';
import { ANSWER_BYTES } from '../../../platform/limits/index.js';
import { COUNTED_ITEMS, Page, type PageRequest } from '../../../platform/pagination/index.js';
import { defineJob, HandlesJob, type JobHandler, Outbox } from '../../../platform/queue/index.js';
import type { ProjectAccess, ProjectRef, Subject } from '../../authorization/index.js';
import { PositionsRepository } from '../../issuables/index.js';
import { type CacheableAnswer, listCommits } from '../../repository/index.js';
import { ProjectStorage, StorageQuota } from '../../storage/index.js';
import type { MergeRequest, MergeRequestVersion } from '../model/merge-request.entity.js';
import { assertReadable } from '../model/merge-request.policy.js';
import { headRef, mergeRef } from '../model/merge-request-refs.js';
import {
  type BranchPair,
  type LocatedMergeRequest,
  MergeRequestsRepository,
} from '../model/merge-requests.repository.js';
import { checkSoon } from './check-mergeability.job.js';
import { followPositionsSoon } from './follow-positions.job.js';
import { type BranchHeads, MergeRequestBranches } from './merge-request-branches.js';
import {
  type RecordedVersion,
  type VersionContents,
  type VersionEnds,
  VersionsRepository,
} from './versions.repository.js';

interface DropHeadRefPayload {
  /** The target project. */
  projectId: number;
  iid: number;
}

/** Deletes the ref that the head of a deleted merge request could be fetched by. */
const dropHeadRef = defineJob<DropHeadRefPayload>('merge-requests', 'drop-head-ref');

/** A version that a merge request had on another server. */
interface ImportedVersion extends VersionEnds {
  createdAt: Date;
}

/**
 * The versions of merge requests: their branches at one time
 * (docs/reference/merge-requests.md#versions). A version is named by commits and never changes.
 */
@Injectable()
@HandlesJob(dropHeadRef)
export class VersionsService implements JobHandler<DropHeadRefPayload> {
  constructor(
    private readonly mergeRequests: MergeRequestsRepository,
    private readonly versions: VersionsRepository,
    private readonly branches: MergeRequestBranches,
    private readonly storage: ProjectStorage,
    private readonly quota: StorageQuota,
    private readonly positions: PositionsRepository,
    private readonly outbox: Outbox,
  ) {}

  /**
   * Lists the versions of a merge request, newest first.
   * @throws DomainError record not found, forbidden
   */
  async list(
    access: ProjectAccess,
    reader: Subject,
    mergeRequestId: number,
    request: PageRequest,
  ): Promise<Page<MergeRequestVersion>> {
    const { id } = await this.readRequest(access, reader, mergeRequestId);
    const { versions, total } = await this.versions.list(id, request);
    return Page.cut(versions, total, request);
  }

  /** @throws DomainError record not found, forbidden */
  async read(
    access: ProjectAccess,
    reader: Subject,
    mergeRequestId: number,
    versionId: number,
  ): Promise<MergeRequestVersion> {
    const { id } = await this.readRequest(access, reader, mergeRequestId);
    const version = await this.versions.find(id, versionId);
    if (version === null) throw recordNotFound('merge-request-version');
    return version;
  }

  /**
   * Reads the newest version of a merge request. Null when its branches never existed.
   * @throws DomainError record not found, forbidden
   */
  async readNewest(
    access: ProjectAccess,
    reader: Subject,
    mergeRequestId: number,
  ): Promise<MergeRequestVersion | null> {
    return this.findNewest(await this.readRequest(access, reader, mergeRequestId));
  }

  /** Finds the newest version of a merge request. Null when its branches never existed. */
  async findNewest({
    id,
    latestVersionId,
  }: Pick<MergeRequest, 'id' | 'latestVersionId'>): Promise<MergeRequestVersion | null> {
    return latestVersionId === null ? null : this.versions.find(id, latestVersionId);
  }

  /**
   * Lists the commits of a version, newest first: those of the source branch that the target branch lacked.
   * @param project the target project
   * @param version null: no commits
   */
  listCommits(
    project: ProjectRef,
    version: MergeRequestVersion | null,
    request: PageRequest,
  ): CacheableAnswer<Page<Commit>> {
    const { page, perPage } = request;
    const ends = version && [version.startCommitSha, version.headCommitSha];
    return {
      key: ['version commits', ends, page, perPage],
      make: async () => {
        if (version === null) return Page.of<Commit>([], request);
        const { total, commits } = await this.walk(project, version, request);
        return Page.cut(commits, total ?? COUNTED_ITEMS + 1, request);
      },
    };
  }

  /** Reads the newest commits of a version, up to a limit. */
  async readNewestCommits(
    project: ProjectRef,
    version: MergeRequestVersion,
    limit: number,
  ): Promise<Commit[]> {
    const { commits } = await this.walk(project, version, { page: 1, perPage: limit });
    return commits.slice(0, limit);
  }

  /** Opens the changes of a version as a text, which the caller has to read or destroy. */
  openPatch(
    project: ProjectRef,
    { baseCommitSha: from, headCommitSha: to }: MergeRequestVersion,
    form: PatchForm,
  ): Promise<Readable> {
    return this.storage.repository(project).patch({ from, to, form });
  }

  /** Compares the source branch with its merge base with the target branch. */
  compare(project: ProjectRef, version: MergeRequestVersion | null): CacheableAnswer<DiffEntry[]> {
    if (version === null) return { key: ['no changes'], make: () => Promise.resolve([]) };
    const { baseCommitSha: base, headCommitSha: head } = version;
    return {
      key: ['changes', base, head],
      weigh: () => ANSWER_BYTES.difference,
      make: async () => (await this.storage.repository(project).diff(base, head)).entries,
    };
  }

  /**
   * Records the branches as they are now: a version and the head of the request. Resets the merge status, which a
   * job then checks. Records no version when the newest one has the same commits, or a branch does not exist.
   * Call in a unit of work that holds the push locks of both projects and has locked the row of the request.
   * @param start the head of the target branch. Default: the current one
   * @returns the newest version; null when there is none of these branches
   * @throws GitError
   * @throws DomainError storage limit
   */
  async record(
    request: BranchPair & Pick<MergeRequest, 'id' | 'iid'>,
    start?: Oid,
  ): Promise<RecordedVersion | null> {
    const { id, iid, projectId } = request;
    await this.versions.resetStatus(id);
    await this.outbox.addUnlessWaiting(checkSoon(projectId));
    const heads = await this.branches.findHeads(request);
    const from = start ?? heads?.start ?? null;
    if (heads === null || heads.head === null || from === null) return null;
    const ends: VersionEnds = { start: from, head: heads.head };
    const newest = await this.versions.findNewest(id);
    if (newest?.start === ends.start && newest.head === ends.head) return newest;
    await keepCommits(heads, iid, ends, this.quota.admission(heads.targetProject));
    const version = await describeVersion(heads.target, ends);
    await this.versions.insert(id, version);
    if (await this.positions.hasAny(id))
      await this.outbox.addUnlessWaiting(followPositionsSoon(id));
    return { ...ends, isEmpty: version.state === 'empty' };
  }

  /**
   * Records versions that the request had on another server, oldest first, as far as the repository has their commits.
   * Call in a unit of work that holds the push lock of the target project.
   * @returns how many there are
   * @throws GitError
   */
  async recordImported(
    { id, iid, projectId }: Pick<MergeRequest, 'id' | 'iid' | 'projectId'>,
    versions: readonly ImportedVersion[],
  ): Promise<number> {
    const target = await this.branches.findRepository(projectId);
    let recorded = 0;
    for (const { start, head, createdAt } of versions) {
      const commits = [await target?.commitOf(start), await target?.commitOf(head)];
      if (target === null || commits.some((commit) => !commit)) continue;
      await keepCommits({ target, source: null }, iid, { start, head });
      await this.versions.insert(id, await describeVersion(target, { start, head }), createdAt);
      recorded += 1;
    }
    return recorded;
  }

  /** Deletes the refs of a deleted request, by a job that is added in the caller's unit of work. */
  async removeHeadRef({ projectId, iid }: DropHeadRefPayload): Promise<void> {
    await this.outbox.add(dropHeadRef.with({ projectId, iid }));
  }

  /** Runs the job `dropHeadRef`, without a check of the request, since its iid is never used again. */
  async handle({ projectId, iid }: DropHeadRefPayload): Promise<void> {
    const repository = await this.branches.findRepository(projectId);
    if (repository === null) return;
    for (const ref of [headRef(iid), mergeRef(iid)]) {
      const oldOid = await repository.refs.get(ref);
      if (oldOid !== null) await repository.refs.update([{ ref, oldOid, newOid: ZERO_OID }]);
    }
  }

  private async readRequest(
    access: ProjectAccess,
    reader: Subject,
    id: number,
  ): Promise<LocatedMergeRequest> {
    return assertReadable(await this.mergeRequests.findIn(access.project.id, id), access, reader);
  }

  /** Walks the commits of a page, and one more if there is any. */
  private async walk(
    project: ProjectRef,
    { startCommitSha: exclude, headCommitSha: start }: MergeRequestVersion,
    { page, perPage }: PageRequest,
  ): Promise<{ commits: Commit[]; total: number | null }> {
    const repository = this.storage.repository(project);
    const skip = (page - 1) * perPage;
    const { oids, total } = await repository.history({ start, exclude, skip, limit: perPage + 1 });
    return { commits: await listCommits(repository, oids), total };
  }
}

/**
 * Copies the commits of a version into the target's repository, keeps them there when branches or the fork are
 * deleted, and updates the request's ref. Can be repeated.
 * @param admit decides about the objects that come from another project
 * @throws GitError
 * @throws what `admit` throws
 */
async function keepCommits(
  { target, source }: Pick<BranchHeads, 'target' | 'source'>,
  iid: number,
  { start, head }: VersionEnds,
  admit?: Admission,
): Promise<void> {
  if (source !== null && source.path !== target.path) {
    const branches = await target.refs.list(BRANCH_PREFIX);
    const known = new Set(branches.map((branch) => branch.target));
    await target.takeFrom(source, head, [...known], admit);
  }
  await target.keepAround([start, head]);
  await setRef(target, headRef(iid), head);
}

/** Finds the merge base and the size of a version whose commits are in the repository. */
async function describeVersion(
  repository: Repository,
  { start, head }: VersionEnds,
): Promise<VersionContents> {
  const base = await repository.mergeBase(start, head);
  const ends = { baseCommitSha: base, startCommitSha: start, headCommitSha: head };
  if (base === head) return { ...ends, state: 'empty', realSize: null };
  const { files, isCut } = await countFiles(repository, base, head);
  return {
    ...ends,
    state: isCut ? 'overflow' : 'collected',
    realSize: `${String(files)}${isCut ? '+' : ''}`,
  };
}

async function setRef({ refs }: Repository, ref: string, newOid: Oid): Promise<void> {
  const oldOid = (await refs.get(ref)) ?? ZERO_OID;
  if (oldOid !== newOid) await refs.update([{ ref, oldOid, newOid }]);
}

/**
 * How long pushes wait for the size of a version, since it is recorded under their locks. git goes on meanwhile, and later
 * reads of the changes get its result.
 */
const COUNTING_MS = 5_000;
/** The size of a difference that takes git too long. */
const UNCOUNTED = { files: 1_000, isCut: true };

/** Counts the changed files. */
async function countFiles(
  repository: Repository,
  base: Oid | null,
  head: Oid,
): Promise<{ files: number; isCut: boolean }> {
  try {
    const comparison = repository.diff(base, head);
    if (!(await settlesWithin(comparison, COUNTING_MS))) return UNCOUNTED;
    const { entries, isCut } = await comparison;
    return { files: entries.length, isCut };
  } catch (error) {
    if (!(error instanceof GitTimeoutError)) throw error;
    return UNCOUNTED;
  }
}
