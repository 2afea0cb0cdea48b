import { Injectable } from '@nestjs/common';
import { checkoutSha, ProjectObjects } from '../../projects/index.js';
import type { PushPayload, PushRecorded } from '../../repository/index.js';
import { authorOf, UserPresenter } from '../../users/index.js';
import { UserObjects } from './user-object.js';

/** Tells of pushes (open points 7.3). */
@Injectable()
export class PushPayloads {
  constructor(
    private readonly projects: ProjectObjects,
    private readonly users: UserObjects,
    private readonly presenter: UserPresenter,
  ) {}

  /** One payload for each of some refs of a push; the files of the commits are not looked for yet. */
  async pushed(
    { projectId, userId }: Pick<PushRecorded, 'projectId' | 'userId'>,
    refs: readonly PushPayload[],
  ): Promise<object[]> {
    const project = await this.projects.find(projectId);
    if (project === null) return [];
    const user = authorOf(await this.users.find(userId), userId);
    const pusher = {
      user_id: user.id,
      user_name: user.name,
      user_email: user.email,
      user_avatar: this.presenter.summary(user).avatar_url,
    };
    return refs.map((pushed) => ({
      object_kind: pushed.object_kind,
      event_name: pushed.object_kind,
      before: pushed.before,
      after: pushed.after,
      ref: pushed.ref,
      checkout_sha: checkoutSha(pushed),
      message: pushed.message,
      ...pusher,
      project_id: projectId,
      project: this.projects.project(project),
      repository: this.projects.pushedRepository(project),
      commits: pushed.commits,
      total_commits_count: pushed.total_commits_count,
    }));
  }
}

/** The same without the commits, for the hooks of the instance (open points 7.10). */
export function withoutCommits(payload: object): object {
  return { ...payload, commits: [], total_commits_count: 0 };
}
