import { Injectable } from '@nestjs/common';
import type { DiffEntry, Repository } from '../../../../git/index.js';
import type { PushedRef } from '../../../activity/index.js';
import {
  checkoutSha,
  kindOfPush,
  presentPushedCommit,
  type PushCommitView,
} from '../../../feeds/v3/index.js';
import { ProjectPayloadBuilder } from '../../../projects/v3/index.js';
import type { PushRecorded } from '../../../repository/index.js';
import { ProjectStorage } from '../../../storage/index.js';
import { authorOf } from '../../../users/index.js';
import { SharedObjects } from './shared-objects.js';

/** The paths that a commit changes. */
interface ChangedFiles {
  added: string[];
  modified: string[];
  removed: string[];
}

const CHANGES = {
  added: 'added',
  // The old path of a renamed file is not listed: receivers expect an addition only.
  renamed: 'added',
  modified: 'modified',
  retyped: 'modified',
  deleted: 'removed',
} as const satisfies Record<DiffEntry['change'], keyof ChangedFiles>;

/** What is read of a payload that was queued without the files of its commits. */
interface QueuedPush {
  project_id: number;
  commits: PushCommitView[];
}

/**
 * Builds the payloads of pushes and tags. See docs/reference/hooks.md#pushes-and-tags.
 *
 * The files of the commits are added by the worker that delivers the payload: they never change, and the
 * push does not have to wait for the diffs.
 */
@Injectable()
export class PushPayloadBuilder {
  constructor(
    private readonly storage: ProjectStorage,
    private readonly projects: ProjectPayloadBuilder,
    private readonly objects: SharedObjects,
  ) {}

  /** Builds one payload per ref, without the files of the commits; none when the project no longer exists. */
  async buildPushes(
    { projectId, userId }: Pick<PushRecorded, 'projectId' | 'userId'>,
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

  /** Adds the files of each commit to a payload of `buildPushes`; none for commits that no longer exist. */
  async addFiles(payload: object): Promise<object> {
    const { project_id: projectId, commits } = payload as QueuedPush;
    const project = commits.length === 0 ? null : await this.projects.find(projectId);
    const repository = project && this.storage.repository(project);
    const withFiles: object[] = [];
    for (const commit of commits) {
      const entries = repository === null ? [] : await diffOf(repository, commit.id);
      withFiles.push({ ...commit, ...changedFiles(entries) });
    }
    return { ...payload, commits: withFiles };
  }
}

/** Removes the commits from a payload, as system hooks get it. */
export function withoutCommits(payload: object): object {
  return { ...payload, commits: [], total_commits_count: 0 };
}

/** Groups paths by the kind of change, in the order of the diff. */
export function changedFiles(
  entries: readonly Pick<DiffEntry, 'change' | 'newPath' | 'oldPath'>[],
): ChangedFiles {
  const files: ChangedFiles = { added: [], modified: [], removed: [] };
  for (const { change, newPath, oldPath } of entries) {
    files[CHANGES[change]].push(change === 'deleted' ? oldPath : newPath);
  }
  return files;
}

async function diffOf(repository: Repository, id: string): Promise<readonly DiffEntry[]> {
  const commit = await repository.objects.commit(id);
  if (commit === null) return [];
  return (await repository.diff(commit.parents[0] ?? null, commit.oid)).entries;
}
