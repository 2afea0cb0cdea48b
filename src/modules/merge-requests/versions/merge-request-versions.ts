import { Injectable } from '@nestjs/common';
import type { Oid } from '../../../git/index.js';
import { Outbox } from '../../../platform/queue/index.js';
import { StorageQuota } from '../../projects/index.js';
import type { MergeRequest } from '../merge-request.entity.js';
import { checkSoon } from '../refresh/refresh.jobs.js';
import { type Branched, RequestBranches } from './request-branches.js';
import { factsOf } from './version-facts.js';
import { keepVersion, type VersionEnds } from './version-objects.js';
import { type RecordedVersion, VersionsRepository } from './versions.repository.js';

/** What recording a version looks at. */
export type Versioned = Branched & Pick<MergeRequest, 'id' | 'iid'>;

/** Records what merge requests consist of, time after time (docs/reference/merge-requests.md#versions). */
@Injectable()
export class MergeRequestVersions {
  constructor(
    private readonly versions: VersionsRepository,
    private readonly branches: RequestBranches,
    private readonly outbox: Outbox,
    private readonly quota: StorageQuota,
  ) {}

  /**
   * Records the branches as they are now: a version, the head of the request, and that nobody knows
   * whether it can be merged, which is then found out in the background. What was recorded last is not
   * recorded again; nor is a version when a branch is missing. Call in a unit of work that holds the push lock
   * of both projects and has locked the request's row.
   * @param start head of the target branch in the place of the one it has now
   * @returns the newest version; null when there is none of these branches
   * @throws GitError
   * @throws DomainError storage limit
   */
  async record(request: Versioned, start?: Oid): Promise<RecordedVersion | null> {
    const { id, iid, projectId } = request;
    await this.versions.forgetStatus(id);
    await this.outbox.addUnlessWaiting(checkSoon(projectId));
    const heads = await this.branches.of(request);
    const from = start ?? heads?.start ?? null;
    if (heads === null || heads.head === null || from === null) return null;
    const ends: VersionEnds = { start: from, head: heads.head };
    const newest = await this.versions.newestOf(id);
    if (newest?.start === ends.start && newest.head === ends.head) return newest;
    await keepVersion(heads, iid, ends, this.quota.admission(heads.targetProject));
    const facts = await factsOf(heads.target, ends);
    await this.versions.insert(id, facts);
    return { ...ends, isEmpty: facts.state === 'empty' };
  }
}
