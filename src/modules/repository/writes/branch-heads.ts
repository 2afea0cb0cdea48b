import {
  isWritableRefName,
  ObjectMissingError,
  type Oid,
  type Repository,
  ZERO_OID,
} from '../../../git/index.js';
import { type DomainError, ruleViolated } from '../../../platform/errors/index.js';
import type { LockedProject } from '../pushes/push-intents.repository.js';

const HEADS = 'refs/heads/';

export const NOT_ON_A_BRANCH = 'You can only create or edit files when you are on a branch';

export const pushRefused = (): DomainError =>
  ruleViolated('You are not allowed to push into this branch');

export const branchBlocked = (): DomainError => ruleViolated('Branch name is invalid');

/** Where a commit goes on. */
export interface BranchHead {
  ref: string;
  /** What the branch points at, `ZERO_OID` when it is to be made. */
  oldOid: Oid;
  /** What the commit is made upon; null for the first one of a repository. */
  parent: Oid | null;
}

/**
 * The head of a branch. One that is not there begins at the default branch if it may, or at nothing in
 * an empty repository.
 * @throws DomainError rule violated
 */
export async function headOf(
  repository: Repository,
  { defaultBranch }: LockedProject,
  { branch, mayBegin }: { branch: string; mayBegin: boolean },
): Promise<BranchHead> {
  const ref = HEADS + branch;
  const head = await repository.refs.get(ref);
  if (head !== null) return { ref, oldOid: head, parent: head };
  if (!isWritableRefName(ref)) throw ruleViolated(NOT_ON_A_BRANCH);
  if (await repository.isEmpty()) return { ref, oldOid: ZERO_OID, parent: null };
  const start =
    !mayBegin || defaultBranch === null ? null : await repository.refs.get(HEADS + defaultBranch);
  if (start === null) throw ruleViolated(NOT_ON_A_BRANCH);
  return { ref, oldOid: ZERO_OID, parent: start };
}

/** The tree of a commit. */
export async function treeOf(repository: Repository, oid: Oid): Promise<Oid> {
  const commit = await repository.objects.commit(oid);
  if (commit === null) throw new ObjectMissingError(oid);
  return commit.tree;
}
