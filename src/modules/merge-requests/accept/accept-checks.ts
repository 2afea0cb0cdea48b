import {
  conflict,
  type DomainError,
  methodNotAllowed,
  notAcceptable,
  recordNotFound,
  unauthenticated,
} from '../../../platform/errors/index.js';
import { isOpen, type MergeRequest } from '../merge-request.entity.js';
import { isWorkInProgress } from '../work-in-progress.js';

/** What an accept is judged by; what costs something is asked only when it comes to it. */
export interface AcceptCase {
  readonly mergeRequest: Pick<MergeRequest, 'state' | 'title' | 'headSha'>;
  /** What the caller takes the head to be. */
  readonly sha: string | undefined;
  readonly mayMerge: () => Promise<boolean>;
  /** Whether the project wants the build to have succeeded, and it has not. */
  readonly awaitsBuild: () => Promise<boolean>;
  readonly isMergeable: () => Promise<boolean>;
}

interface Check {
  readonly fails: (accept: AcceptCase) => boolean | Promise<boolean>;
  readonly refusal: (accept: AcceptCase) => DomainError;
}

/** No commits to merge, a conflict, or a branch that is not there. */
export const cannotBeMerged = (): DomainError => methodNotAllowed('Branch cannot be merged');

export const notOpen = (): DomainError => notAcceptable('Method Not Allowed');

/**
 * The checks of docs/reference/merge-requests.md#put-projectsidmerge_requestsmerge_request_idmerge,
 * in their order.
 */
const CHECKS: readonly Check[] = [
  { fails: async ({ mayMerge }) => !(await mayMerge()), refusal: unauthenticated },
  { fails: ({ mergeRequest }) => !isOpen(mergeRequest), refusal: notOpen },
  {
    fails: ({ sha, mergeRequest }) => sha !== undefined && sha !== mergeRequest.headSha,
    refusal: ({ mergeRequest }) =>
      conflict(`SHA does not match HEAD of source branch: ${mergeRequest.headSha ?? ''}`),
  },
  {
    fails: ({ mergeRequest }) => isWorkInProgress(mergeRequest.title),
    refusal: () => methodNotAllowed(),
  },
  { fails: ({ awaitsBuild }) => awaitsBuild(), refusal: () => methodNotAllowed() },
  { fails: async ({ isMergeable }) => !(await isMergeable()), refusal: cannotBeMerged },
];

/** Why a merge request cannot be accepted, by the first reason there is; null when it can. */
export async function refusalOf(accept: AcceptCase): Promise<DomainError | null> {
  for (const { fails, refusal } of CHECKS) {
    if (await fails(accept)) return refusal(accept);
  }
  return null;
}

type Seen = Pick<MergeRequest, 'state' | 'title' | 'headSha' | 'targetBranch'>;

/**
 * Once the row is locked: whether what was judged is still so.
 * @throws DomainError record not found, not acceptable when it was closed, conflict when it was merged
 *   (check 7) or is not what it was
 */
export function assertUnchanged<T extends Seen>(
  current: T | null,
  seen: Seen,
): asserts current is T {
  if (current === null) throw recordNotFound();
  if (current.state === 'closed') throw notOpen();
  const isSame =
    isOpen(current) &&
    current.headSha === seen.headSha &&
    current.targetBranch === seen.targetBranch &&
    current.title === seen.title;
  if (!isSame) throw conflict();
}
