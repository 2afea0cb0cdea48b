import { Injectable } from '@nestjs/common';
import { BRANCH_PREFIX, TAG_PREFIX, ZERO_OID } from '../../../../git/index.js';
import type { PushedRef } from '../../../activity/index.js';
import { ProtectedBranchesService } from '../../../repository/index.js';
import { CommitFiles } from '../../payloads/commit-files.js';
import type { PushedBy } from '../../payloads/hook-payloads.js';
import { V4SharedObjects } from './shared-objects.js';

/** What is read of a payload that was queued without the files of its commits. */
interface QueuedPush {
  readonly project_id: number;
  readonly commits: readonly { readonly id: string }[];
}

/** Builds the payloads of pushes and tags. See docs/reference/v4-hooks.md#pushes-and-tags. */
@Injectable()
export class V4PushPayloadBuilder {
  constructor(
    private readonly files: CommitFiles,
    private readonly protections: ProtectedBranchesService,
    private readonly objects: V4SharedObjects,
  ) {}

  async buildPushes(
    { projectId, userId }: PushedBy,
    refs: readonly PushedRef[],
  ): Promise<object[]> {
    const project = await this.objects.findProject(projectId);
    if (project === null) return [];
    const pusher = this.objects.pusher(await this.objects.findUsers([userId]), userId);
    const isProtected = await this.protections.findProtection(projectId);
    return refs.map((pushed) => {
      const { ref } = pushed;
      const kind = ref.startsWith(TAG_PREFIX) ? 'tag_push' : 'push';
      return {
        object_kind: kind,
        event_name: kind,
        before: pushed.oldOid,
        after: pushed.newOid,
        ref,
        ref_protected:
          ref.startsWith(BRANCH_PREFIX) && isProtected(ref.slice(BRANCH_PREFIX.length)),
        checkout_sha: checkoutSha(pushed),
        message: pushed.message,
        ...pusher,
        project_id: projectId,
        project: this.objects.project(project),
        commits: pushed.commits.map((commit) => this.objects.commit(project, commit)),
        total_commits_count: pushed.commitCount,
        push_options: {},
        repository: this.objects.repositoryWithCloneUrls(project),
      };
    });
  }

  /** Adds the files of each commit to a payload of `buildPushes`; none for commits that no longer exist. */
  async addFiles(payload: object): Promise<object> {
    const { project_id: projectId, commits } = payload as QueuedPush;
    const files = await this.files.find(
      projectId,
      commits.map(({ id }) => id),
    );
    return {
      ...payload,
      commits: commits.map((commit, index) => ({ ...commit, ...files[index] })),
    };
  }

  /** Builds the event of system hooks that lists the refs of a push. */
  async buildRepositoryUpdate(
    { projectId, userId }: PushedBy,
    refs: readonly Pick<PushedRef, 'ref' | 'oldOid' | 'newOid'>[],
  ): Promise<object | null> {
    const project = await this.objects.findProject(projectId);
    if (project === null) return null;
    return {
      event_name: 'repository_update',
      ...this.objects.pusher(await this.objects.findUsers([userId]), userId),
      project_id: projectId,
      project: this.objects.project(project),
      changes: refs.map(({ ref, oldOid, newOid }) => ({ before: oldOid, after: newOid, ref })),
      refs: refs.map(({ ref }) => ref),
    };
  }
}

/** The commit that a ref points to after a push; null for a deleted ref and a tag of another object. */
function checkoutSha({ ref, newOid, commits }: PushedRef): string | null {
  if (newOid === ZERO_OID) return null;
  return ref.startsWith(TAG_PREFIX) ? (commits[0]?.oid ?? null) : newOid;
}
