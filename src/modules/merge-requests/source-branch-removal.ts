import type { MergeRequest } from './merge-request.entity.js';

/** What a client said of the source branch's removal; null when it said nothing, which keeps the branch. */
export type RemovalWish = boolean | null;

type AcceptersWish = Pick<MergeRequest, 'shouldRemoveSourceBranch' | 'shouldRemoveGiven'>;
type AuthorsWish = Pick<MergeRequest, 'forceRemoveSourceBranch' | 'forceRemoveGiven'>;

/** What a request or an attempt stores of the wish of who accepts it. */
export const storedRemoval = (wish: RemovalWish): AcceptersWish => ({
  shouldRemoveSourceBranch: wish ?? false,
  shouldRemoveGiven: wish !== null,
});

/** The wish of who accepted a request. */
export const acceptersWish = (stored: AcceptersWish): RemovalWish =>
  wishOf(stored.shouldRemoveSourceBranch, stored.shouldRemoveGiven);

/** The wish of who made a request or changed it last. */
export const authorsWish = (stored: AuthorsWish): RemovalWish =>
  wishOf(stored.forceRemoveSourceBranch, stored.forceRemoveGiven);

// What was stored before `…Given` existed was given where it is true.
const wishOf = (wanted: boolean, given: boolean): RemovalWish => (wanted || given ? wanted : null);
