import {
  BRANCH_PREFIX,
  isWritableRefName,
  ObjectMissingError,
  type Oid,
  type Repository,
  ZERO_OID,
} from '../../../git/index.js';
import { type DomainError, ruleViolated } from '../../../platform/errors/index.js';

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
 * The head of a branch. Only the first commit of an empty repository makes its branch: elsewhere a name
 * that is not there is a typing error.
 * @throws DomainError rule violated
 */
export async function headOf(repository: Repository, branch: string): Promise<BranchHead> {
  const ref = BRANCH_PREFIX + branch;
  const head = await repository.refs.get(ref);
  if (head !== null) return { ref, oldOid: head, parent: head };
  if (!isWritableRefName(ref) || !(await repository.isEmpty())) throw ruleViolated(NOT_ON_A_BRANCH);
  return { ref, oldOid: ZERO_OID, parent: null };
}

/** The tree of a commit. */
export async function treeOf(repository: Repository, oid: Oid): Promise<Oid> {
  const commit = await repository.objects.commit(oid);
  if (commit === null) throw new ObjectMissingError(oid);
  return commit.tree;
}
