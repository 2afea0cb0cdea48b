import { Injectable } from '@nestjs/common';
import { ZERO_OID } from '../../../git/index.js';
import { checkoutSha, ProjectStorage } from '../../projects/index.js';
import { type PushPayload, type RefsPushed, storable } from '../../repository/index.js';
import { authorOf, UserPresenter } from '../../users/index.js';
import { MAX_MESSAGE } from './commit-object.js';
import { ProjectObjects, type ToldProject } from './project-object.js';
import { UserObjects } from './user-object.js';

/** Tells of pushes (open points 7.3). */
@Injectable()
export class PushPayloads {
  constructor(
    private readonly storage: ProjectStorage,
    private readonly projects: ProjectObjects,
    private readonly users: UserObjects,
    private readonly presenter: UserPresenter,
  ) {}

  /** One payload for each of some refs of a push; the files of the commits are not looked for yet. */
  async pushed({ projectId, userId }: RefsPushed, refs: readonly PushPayload[]): Promise<object[]> {
    const project = await this.projects.find(projectId);
    if (project === null) return [];
    const user = authorOf(await this.users.find(userId), userId);
    const pusher = {
      user_id: user.id,
      user_name: user.name,
      user_email: user.email,
      user_avatar: this.presenter.summary(user).avatar_url,
    };
    const messages = await this.messages(project, refs);
    return refs.map((pushed, at) => ({
      object_kind: pushed.object_kind,
      event_name: pushed.object_kind,
      before: pushed.before,
      after: pushed.after,
      ref: pushed.ref,
      checkout_sha: checkoutSha(pushed),
      message: messages[at] ?? null,
      ...pusher,
      project_id: projectId,
      project: this.projects.project(project),
      repository: this.projects.pushedRepository(project),
      commits: pushed.commits,
      total_commits_count: pushed.total_commits_count,
    }));
  }

  /** What annotated tags say. */
  private async messages(
    project: ToldProject,
    refs: readonly PushPayload[],
  ): Promise<(string | null)[]> {
    const tags = refs.map(({ object_kind: kind, after }) =>
      kind === 'tag_push' && after !== ZERO_OID ? after : null,
    );
    const asked = tags.filter((oid) => oid !== null);
    if (asked.length === 0) return [];
    const found = await this.storage.repository(project).objects.tagMessages(asked);
    const byOid = new Map(asked.map((oid, at) => [oid, found[at] ?? null]));
    return tags.map((oid) => {
      const message = byOid.get(oid ?? '') ?? null;
      return message === null ? null : storable(message, MAX_MESSAGE);
    });
  }
}

/** The same without the commits, for the hooks of the instance (open points 7.10). */
export function withoutCommits(payload: object): object {
  return { ...payload, commits: [], total_commits_count: 0 };
}
