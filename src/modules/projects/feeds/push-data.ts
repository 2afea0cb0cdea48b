import { ZERO_OID } from '../../../git/index.js';
import type { UserSummaryView } from '../../users/index.js';
import type { PushDataView } from './event.view.js';

/** What is recorded of a push to one ref. */
export type RecordedPush = Omit<PushDataView, 'event_name' | 'checkout_sha'>;

/** The commit that a ref leads to after a push: null for a deleted ref and for a tag of anything else. */
export function checkoutSha({
  object_kind: kind,
  after,
  commits,
}: Pick<PushDataView, 'object_kind' | 'after'> & {
  readonly commits: readonly { readonly id: string }[];
}): string | null {
  if (after === ZERO_OID) return null;
  return kind === 'tag_push' ? (commits[0]?.id ?? null) : after;
}

/**
 * The `data` of a push event. The pusher is shown as the account is now: of a deleted one no name remains.
 * E-mail addresses of accounts are left out, since anonymous readers see the feeds of public projects.
 */
export function presentPushData(
  push: RecordedPush,
  { id, name }: Pick<UserSummaryView, 'id' | 'name'>,
): PushDataView {
  return {
    object_kind: push.object_kind,
    event_name: push.object_kind,
    before: push.before,
    after: push.after,
    ref: push.ref,
    checkout_sha: checkoutSha(push),
    user_id: id,
    user_name: name,
    project_id: push.project_id,
    repository: push.repository,
    commits: push.commits,
    total_commits_count: push.total_commits_count,
  };
}
