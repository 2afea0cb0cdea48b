import { Injectable } from '@nestjs/common';
import {
  NewObjects,
  type Oid,
  RefConflictError,
  type Repository,
  StaleRefError,
  ZERO_OID,
} from '../../../git/index.js';
import { conflict, recordNotFound } from '../../../platform/errors/index.js';
import { allows, type ProjectAccess } from '../../authorization/index.js';
import { committerOf } from '../../repository/index.js';
import { StorageQuota } from '../../storage/index.js';
import type { User } from '../../users/index.js';
import { isOpen } from '../model/merge-request.entity.js';
import { assertReadable } from '../model/merge-request.policy.js';
import { mergeRef } from '../model/merge-request-refs.js';
import { MergeRequestsRepository } from '../model/merge-requests.repository.js';
import { mergeRefRefused } from '../model/refusals.js';
import { MergeRequestBranches } from '../versions/merge-request-branches.js';

/**
 * Merges open requests as far as a ref of their own, for builds of the result
 * (docs/reference/v4-merge-requests.md#get-apiv4projectsidmerge_requestsmerge_request_iidmerge_ref).
 */
@Injectable()
export class MergeRefService {
  constructor(
    private readonly mergeRequests: MergeRequestsRepository,
    private readonly branches: MergeRequestBranches,
    private readonly quota: StorageQuota,
  ) {}

  /**
   * Points the merge ref of a request at a merge of its recorded head into the head of its target branch, and keeps one that is.
   * @returns the merge commit
   * @throws DomainError record not found, merge ref refused, conflict
   */
  async update(caller: User, access: ProjectAccess, id: number): Promise<Oid> {
    const { project } = access;
    if (!allows(access, 'code:read')) throw recordNotFound('merge-request');
    const found = await this.mergeRequests.findIn(project.id, id);
    const request = assertReadable(found, access, caller);
    const heads = await this.branches.findHeads(request, project.client);
    const head = request.headSha;
    const isPossible = isOpen(request) && !project.archived;
    if (!isPossible || !heads || heads.start === null || heads.head === null || head === null) {
      throw mergeRefRefused();
    }
    const { target, start, targetProject } = heads;
    const ref = mergeRef(request.iid);
    const oldOid = await target.refs.get(ref);
    if (oldOid !== null && (await merges(target, oldOid, [start, head]))) return oldOid;
    if (await target.isAncestor(head, start)) throw mergeRefRefused();
    const merged = await target.mergeCommits(start, head);
    if (merged === null) throw mergeRefRefused();
    const objects = new NewObjects();
    objects.addAll(merged.objects);
    const committer = committerOf(caller);
    const newOid = objects.commit({
      tree: merged.tree,
      parents: [start, head],
      author: committer,
      committer,
      message: `Merge ${head} into ${start}`,
    });
    await target.store(objects, this.quota.admission(targetProject));
    await moveRef(target, { ref, oldOid: oldOid ?? ZERO_OID, newOid });
    return newOid;
  }
}

/** Whether a commit merges two others. */
async function merges(
  { objects }: Repository,
  oid: Oid,
  parents: readonly [start: Oid, head: Oid],
): Promise<boolean> {
  const commit = await objects.commit(oid);
  return commit?.parents.join() === parents.join();
}

/** @throws DomainError conflict: another call has moved it */
async function moveRef(
  { refs }: Repository,
  move: { ref: string; oldOid: Oid; newOid: Oid },
): Promise<void> {
  try {
    await refs.update([move]);
  } catch (error) {
    const isLate = error instanceof StaleRefError || error instanceof RefConflictError;
    throw isLate ? conflict() : error;
  }
}
