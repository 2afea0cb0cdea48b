import { Injectable } from '@nestjs/common';
import { checkoutSha, type PushedRef } from '../../../activity/index.js';
import { kindOfPush, presentPushedCommit } from '../../../feeds/v3/index.js';
import { ProjectPayloadBuilder } from '../../../projects/v3/index.js';
import { authorOf } from '../../../users/index.js';
import type { PushedBy } from '../../payloads/hook-payloads.js';
import { SharedObjects } from './shared-objects.js';

/** Builds the payloads of pushes and tags. See docs/reference/hooks.md#pushes-and-tags. */
@Injectable()
export class PushPayloadBuilder {
  constructor(
    private readonly projects: ProjectPayloadBuilder,
    private readonly objects: SharedObjects,
  ) {}

  /** Builds one payload per ref, without the files of the commits; none when the project no longer exists. */
  async buildPushes(
    { projectId, userId }: PushedBy,
    refs: readonly PushedRef[],
  ): Promise<object[]> {
    const project = await this.projects.find(projectId);
    if (project === null) return [];
    const user = authorOf(await this.objects.findUsers(userId), userId);
    const pusher = {
      user_id: user.id,
      user_name: user.name,
      user_email: user.email,
      user_avatar: this.objects.user(user).avatar_url,
    };
    return refs.map((ref) => ({
      object_kind: kindOfPush(ref),
      event_name: kindOfPush(ref),
      before: ref.oldOid,
      after: ref.newOid,
      ref: ref.ref,
      checkout_sha: checkoutSha(ref),
      message: ref.message,
      ...pusher,
      project_id: projectId,
      project: this.projects.project(project),
      repository: this.projects.repositoryWithCloneUrls(project),
      commits: ref.commits.map((commit) =>
        presentPushedCommit(commit, this.projects.url(project, 'commit', commit.oid)),
      ),
      total_commits_count: ref.commitCount,
    }));
  }
}

/** Removes the commits from a payload, as system hooks get it. */
export function withoutCommits(payload: object): object {
  return { ...payload, commits: [], total_commits_count: 0 };
}
