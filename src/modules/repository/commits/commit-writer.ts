import { Injectable } from '@nestjs/common';
import {
  BRANCH_PREFIX,
  type Commit,
  isWritableRefName,
  NewObjects,
  ObjectMissingError,
  type Oid,
  plainIdentity,
  type RefUpdate,
  type Repository,
  type Signature,
  type TreeEditor,
  ZERO_OID,
} from '../../../git/index.js';
import { type DomainError, forbidden, notFound } from '../../../platform/errors/index.js';
import { MAX_COMMIT_MESSAGE } from '../../../platform/limits/index.js';
import type { ProjectAccess } from '../../authorization/index.js';
import { ProjectStorage } from '../../storage/index.js';
import type { User } from '../../users/index.js';
import { ApiPush, type PushPlan } from '../pushes/api-push.js';
import { API_RULES, PushAuthorizer } from '../pushes/push-authorizer.js';
import { cutMessage } from '../shared/commit-text.js';
import { applicationRefused, type ApplicationKind, commitRefused } from '../shared/refusals.js';
import { applySteps, type FileAction, readActions } from './file-actions.js';

/** A hash for a commit that does not exist yet. */
const FUTURE_COMMIT = 'f'.repeat(40);

/** The author of a commit, as the caller gave it; absent fields are those of the committer. */
interface GivenAuthor {
  name?: string | undefined;
  email?: string | undefined;
}

/** What a new branch begins with: the head of another branch, or a commit by its revision. */
type BranchStart = { readonly branch: string } | { readonly commit: string };

export interface NewCommit {
  branch: string;
  message: string;
  author: GivenAuthor;
  /** Makes the branch, which must not exist; of no account in an empty repository. Absent for a branch that exists. */
  start?: BranchStart | undefined;
}

/** The files of the new commit, to be changed. */
export interface EditableFiles {
  editor: TreeEditor;
  objects: NewObjects;
  /** The parent of the new commit, null for the first commit of the repository. */
  parent: Oid | null;
}

/** A commit whose changes against its first parent are applied to a branch, or taken back there. */
export interface Application {
  kind: ApplicationKind;
  revision: string;
  branch: string;
  /** Whose work the new commit is: that of the author of the commit, or of the caller. */
  author: 'caller' | 'original';
  /** Makes the message of the new commit, from the commit with a message of at most `MAX_COMMIT_MESSAGE`. */
  message: (commit: Commit) => string;
}

/** Changes files of the new commit. May refuse by throwing: nothing is written then. */
type FileChange = (files: EditableFiles) => Promise<void>;

/** Creates commits for callers of the API, and pushes them (docs/reference/commits.md#endpoints). */
@Injectable()
export class CommitWriter {
  constructor(
    private readonly apiPush: ApiPush,
    private readonly authorizer: PushAuthorizer,
    private readonly storage: ProjectStorage,
  ) {}

  /**
   * Commits changes of files onto the current head of a branch.
   * @returns the commit
   * @throws DomainError commit refused, forbidden, conflict, or an error of `change`
   */
  async commitChanges(
    caller: User,
    access: ProjectAccess,
    commit: NewCommit,
    change: FileChange,
  ): Promise<Oid> {
    await this.requirePushAccess(access, commit.branch);
    return this.pushCommit(caller, access, commit, change);
  }

  /**
   * Commits a list of actions, all of them or none
   * (docs/reference/commits.md#post-projectsidrepositorycommits).
   * @returns the commit
   * @throws DomainError commit refused, file action refused, path refused, forbidden, conflict
   */
  async commitActions(
    caller: User,
    access: ProjectAccess,
    commit: NewCommit,
    actions: readonly FileAction[],
  ): Promise<Oid> {
    await this.requirePushAccess(access, commit.branch);
    const steps = readActions(actions);
    return this.pushCommit(caller, access, commit, async ({ parent, editor, objects }) => {
      if (parent === null && steps.some(({ action }) => action !== 'create')) {
        throw commitRefused('no-files');
      }
      await applySteps(steps, editor, objects);
    });
  }

  /**
   * Applies the changes of a commit to a branch, or takes them back there, by a new commit
   * (docs/reference/commits.md#post-projectsidrepositorycommitsshacherry_pick).
   * @returns the new commit
   * @throws DomainError not found, application refused, commit refused, forbidden, conflict
   */
  async applyCommit(caller: User, access: ProjectAccess, application: Application): Promise<Oid> {
    const commit = await this.findToApply(access, application);
    const updates = await this.apiPush.push(
      { access, userId: caller.id },
      (locked) => planApplication(locked, caller, commit, application),
      { refused: noPush },
    );
    return newCommitOf(updates);
  }

  /**
   * Fails where the caller may not push to the branch, or the changes do not apply to its present head. Writes nothing, and
   * does not check what refuses the push itself, such as a storage limit.
   * @throws DomainError not found, application refused, commit refused, forbidden
   */
  async checkApplication(
    caller: User,
    access: ProjectAccess,
    application: Application,
  ): Promise<void> {
    const commit = await this.findToApply(access, application);
    await planApplication(this.storage.repository(access.project), caller, commit, application);
  }

  /**
   * Finds the commit to apply, once the caller may push to the branch.
   * @throws DomainError not found, commit refused, forbidden
   */
  private async findToApply(
    access: ProjectAccess,
    { revision, branch }: Application,
  ): Promise<Commit> {
    if (access.project.archived) throw forbidden();
    const repository = this.storage.repository(access.project);
    const oid = await repository.resolveCommit(revision);
    const commit = oid === null ? null : await repository.objects.commit(oid);
    if (commit === null) throw notFound('commit');
    if ((await repository.refs.get(BRANCH_PREFIX + branch)) === null) throw notFound('branch');
    await this.requirePushAccess(access, branch);
    return commit;
  }

  /**
   * Requires before any work that the caller may push to a branch.
   * @throws DomainError forbidden in an archived project, commit refused without the permission
   */
  async requirePushAccess(access: ProjectAccess, branch: string): Promise<void> {
    if (access.project.archived) throw forbidden();
    const ref = BRANCH_PREFIX + branch;
    const head = await this.storage.repository(access.project).refs.get(ref);
    const update = { ref, oldOid: head ?? ZERO_OID, newOid: FUTURE_COMMIT };
    const problems = await this.authorizer.findRefProblems(access, [update], API_RULES);
    // An invalid name is refused later, as a branch that does not exist.
    if ([...problems.values()].some((problem) => problem !== 'invalid-name')) throw noPush();
  }

  private async pushCommit(
    caller: User,
    access: ProjectAccess,
    { branch, message, author, start }: NewCommit,
    change: FileChange,
  ): Promise<Oid> {
    const planCommit = async (repository: Repository): Promise<PushPlan> => {
      const { ref, oldOid, parent } = await (start === undefined
        ? headOf(repository, branch)
        : newHeadOf(repository, branch, start));
      const objects = new NewObjects();
      const editor = repository.editTree(parent === null ? null : await treeOf(repository, parent));
      await change({ editor, objects, parent });
      const committer = committerOf(caller);
      const newOid = objects.commit({
        tree: await editor.write(objects),
        parents: parent === null ? [] : [parent],
        author: authorOf(committer, author),
        committer,
        message,
      });
      return { updates: [{ ref, oldOid, newOid }], objects };
    };
    const options = {
      refused: noPush,
      blocked: () => commitRefused('invalid-branch-name'),
    };
    return newCommitOf(await this.apiPush.push({ access, userId: caller.id }, planCommit, options));
  }
}

const noPush = (): DomainError => commitRefused('push-not-allowed');

/** Returns the commit that the only update of a push has added. */
const newCommitOf = (updates: readonly RefUpdate[]): Oid => (updates[0] as RefUpdate).newOid;

/** Returns the caller as the committer of a commit that is created now. */
export function committerOf({
  name,
  username,
  email,
}: Pick<User, 'name' | 'username' | 'email'>): Signature {
  return {
    name: plainIdentity(name) || username,
    email: plainIdentity(email),
    date: new Date(),
    timezone: '+0000',
  };
}

function authorOf(committer: Signature, { name, email }: GivenAuthor): Signature {
  return {
    ...committer,
    name: plainIdentity(name ?? '') || committer.name,
    email: plainIdentity(email ?? '') || committer.email,
  };
}

/** The head of a branch that gets a commit. */
interface BranchHead {
  ref: string;
  /** The current value of the branch, `ZERO_OID` when it will be created. */
  oldOid: Oid;
  /** The parent of the commit; null for the first commit of a repository. */
  parent: Oid | null;
}

/** Finds the commit that a new commit follows; null without any. */
export function findParent(
  repository: Repository,
  { branch, start = { branch } }: Pick<NewCommit, 'branch' | 'start'>,
): Promise<Oid | null> {
  return 'branch' in start
    ? repository.refs.get(BRANCH_PREFIX + start.branch)
    : repository.resolveCommit(start.commit);
}

/**
 * Reads the head of a branch. A branch that does not exist is created only by the first commit of an empty
 * repository; otherwise its name is taken for a typing error.
 * @throws DomainError commit refused
 */
async function headOf(repository: Repository, branch: string): Promise<BranchHead> {
  const ref = BRANCH_PREFIX + branch;
  const head = await findParent(repository, { branch });
  if (head !== null) return { ref, oldOid: head, parent: head };
  if (!isWritableRefName(ref) || !(await repository.isEmpty()))
    throw commitRefused('no-such-branch');
  return { ref, oldOid: ZERO_OID, parent: null };
}

/**
 * Begins a new branch.
 * @throws DomainError commit refused
 */
async function newHeadOf(
  repository: Repository,
  branch: string,
  start: BranchStart,
): Promise<BranchHead> {
  const ref = BRANCH_PREFIX + branch;
  if (!isWritableRefName(ref)) throw commitRefused('invalid-branch-name');
  if ((await repository.refs.get(ref)) !== null) throw commitRefused('branch-exists');
  const parent = await findParent(repository, { branch, start });
  if (parent === null && !(await repository.isEmpty())) throw commitRefused('no-such-branch');
  return { ref, oldOid: ZERO_OID, parent };
}

async function planApplication(
  repository: Repository,
  caller: User,
  commit: Commit,
  { kind, branch, author, message }: Application,
): Promise<PushPlan> {
  const ref = BRANCH_PREFIX + branch;
  const oldOid = await repository.refs.get(ref);
  if (oldOid === null) throw notFound('branch');
  const [parent] = commit.parents;
  const ours = await treeOf(repository, oldOid);
  const before = parent === undefined ? null : await treeOf(repository, parent);
  const [base, theirs] = kind === 'revert' ? [commit.tree, before] : [before, commit.tree];
  const merged = await repository.mergeTrees({ base, ours, theirs });
  if (merged === null) throw applicationRefused(kind, 'conflict');
  if (merged.tree === ours) throw applicationRefused(kind, 'empty');
  const objects = new NewObjects();
  objects.addAll(merged.objects);
  const committer = committerOf(caller);
  const newOid = objects.commit({
    tree: merged.tree,
    parents: [oldOid],
    author: author === 'caller' ? committer : commit.author,
    committer,
    message: message({ ...commit, message: cutMessage(commit.message, MAX_COMMIT_MESSAGE) }),
  });
  return { updates: [{ ref, oldOid, newOid }], objects };
}

/** Returns the tree of a commit. */
async function treeOf(repository: Repository, oid: Oid): Promise<Oid> {
  const commit = await repository.objects.commit(oid);
  if (commit === null) throw new ObjectMissingError(oid);
  return commit.tree;
}
