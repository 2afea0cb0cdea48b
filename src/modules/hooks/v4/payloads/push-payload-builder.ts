import { Injectable } from '@nestjs/common';
import { BRANCH_PREFIX, TAG_PREFIX } from '../../../../git/index.js';
import { checkoutSha, type PushedRef } from '../../../activity/index.js';
import { ProtectedBranchesService } from '../../../repository/index.js';
import type { PushedBy } from '../../payloads/hook-payloads.js';
import { V4SharedObjects } from './shared-objects.js';

/** Builds the payloads of pushes and tags. See docs/reference/v4-hooks.md#pushes-and-tags. */
@Injectable()
export class V4PushPayloadBuilder {
  constructor(
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
