import { TAG_PREFIX } from '../../../git/index.js';
import { checkoutSha, type PushedCommit, type PushedRef } from '../../activity/index.js';
import type { UserSummaryView } from '../../users/v3/index.js';
import { PushProjectView, PushRepositoryView } from '../../projects/v3/index.js';

class PushAuthorView {
  name!: string;
  email!: string;
}

/** A commit of a push. */
export class PushCommitView {
  id!: string;
  message!: string;
  /** In the committer's own offset, without a fraction of a second. */
  timestamp!: string;
  url!: string;
  author!: PushAuthorView;
}

/**
 * The change of one ref by a push (docs/reference/events.md#the-event-object and
 * docs/reference/events.md#push-data).
 */
export class PushDataView {
  /** `push` for branches, `tag_push` for tags. */
  object_kind!: string;
  /** The same as `object_kind`. */
  event_name!: string;
  /** 40 zeros when the ref was created. */
  before!: string;
  /** 40 zeros when the ref was deleted. */
  after!: string;
  ref!: string;
  /** The commit that the ref points to; null when it was deleted. */
  checkout_sha!: string | null;
  /** Of an annotated tag. */
  message!: string | null;
  user_id!: number;
  user_name!: string;
  user_avatar!: string | null;
  project_id!: number;
  project!: PushProjectView;
  repository!: PushRepositoryView;
  /** The newest 20 of the pushed ones, the oldest first. */
  commits!: PushCommitView[];
  total_commits_count!: number;
}

/** The current state of the pusher and the project of a pushed ref. */
interface PushContext {
  projectId: number;
  pusher: Pick<UserSummaryView, 'id' | 'name' | 'avatar_url'>;
  project: PushProjectView;
  repository: PushRepositoryView;
  /** Returns the address of a commit's page. */
  commitUrl: (oid: string) => string;
}

/** Returns the kind of a push to a ref, as hooks and feeds name it. */
export function kindOfPush({ ref }: Pick<PushedRef, 'ref'>): 'push' | 'tag_push' {
  return ref.startsWith(TAG_PREFIX) ? 'tag_push' : 'push';
}

/** @param url the address of the commit's page */
export function presentPushedCommit(
  { oid, message, committedAt, author: { name, email } }: PushedCommit,
  url: string,
): PushCommitView {
  return { id: oid, message, timestamp: committedAt, url, author: { name, email } };
}

/**
 * Presents the `data` of a push event. Pusher and project are shown as they are now, so that no name of a deleted
 * account remains and all addresses work. E-mail addresses of accounts are left out, since anonymous readers see
 * the feeds of public projects.
 */
export function presentPushData(
  pushed: PushedRef,
  { projectId, pusher, project, repository, commitUrl }: PushContext,
): PushDataView {
  const kind = kindOfPush(pushed);
  return {
    object_kind: kind,
    event_name: kind,
    before: pushed.oldOid,
    after: pushed.newOid,
    ref: pushed.ref,
    checkout_sha: checkoutSha(pushed),
    message: pushed.message,
    user_id: pusher.id,
    user_name: pusher.name,
    user_avatar: pusher.avatar_url,
    project_id: projectId,
    project,
    repository,
    commits: pushed.commits.map((commit) => presentPushedCommit(commit, commitUrl(commit.oid))),
    total_commits_count: pushed.commitCount,
  };
}
