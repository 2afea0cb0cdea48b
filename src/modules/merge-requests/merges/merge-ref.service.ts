import { Injectable } from '@nestjs/common';
import {
  type Admission,
  NewObjects,
  ObjectsRefusedError,
  type Oid,
  RefConflictError,
  type Repository,
  StaleRefError,
  ZERO_OID,
} from '../../../git/index.js';
import { Urls } from '../../../platform/config/index.js';
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
    private readonly urls: Urls,
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
    const parents = [start, head] as const;
    const oldOid = await target.refs.get(ref);
    if (await merges(target, oldOid, parents)) return oldOid as Oid;
    const isEmpty = await target.isAncestor(head, start);
    if (isEmpty || !(await target.canMerge(start, head))) throw mergeRefRefused();
    const { objects, commit: newOid } = await this.mergeCommit(target, parents, caller);
    await storeObjects(target, objects, this.quota.admission(targetProject));
    try {
      await target.refs.update([{ ref, oldOid: oldOid ?? ZERO_OID, newOid }]);
      return newOid;
    } catch (error) {
      if (!(error instanceof StaleRefError || error instanceof RefConflictError)) throw error;
    }
    const current = await target.refs.get(ref);
    if (await merges(target, current, parents)) return current as Oid;
    throw conflict();
  }

  /** Makes a merge commit of a user, without the e-mail address, which only its owner publishes. */
  private async mergeCommit(
    repository: Repository,
    [start, head]: Heads,
    { name, username }: User,
  ): Promise<{ objects: NewObjects; commit: Oid }> {
    const merged = await repository.mergeCommits(start, head);
    if (merged === null) throw mergeRefRefused();
    const objects = new NewObjects();
    objects.addAll(merged.objects);
    const email = this.urls.emailWithoutMailbox(username);
    const committer = committerOf({ name, username, email });
    const commit = objects.commit({
      tree: merged.tree,
      parents: [start, head],
      author: committer,
      committer,
      message: `Merge ${head} into ${start}`,
    });
    return { objects, commit };
  }
}

/** The head of the target branch, and the recorded head of the source branch. */
type Heads = readonly [start: Oid, head: Oid];

/** Whether a commit merges two others. */
async function merges({ objects }: Repository, oid: Oid | null, parents: Heads): Promise<boolean> {
  const commit = oid === null ? null : await objects.commit(oid);
  return commit?.parents.join() === parents.join();
}

/** @throws DomainError merge ref refused: git does not take a file of the merge; what `admit` throws */
async function storeObjects(
  repository: Repository,
  objects: NewObjects,
  admit: Admission | undefined,
): Promise<void> {
  try {
    await repository.store(objects, admit);
  } catch (error) {
    throw error instanceof ObjectsRefusedError ? mergeRefRefused() : error;
  }
}
