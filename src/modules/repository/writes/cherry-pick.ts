import { Injectable } from '@nestjs/common';
import {
  BRANCH_PREFIX,
  type Commit,
  NewObjects,
  type Oid,
  type Repository,
} from '../../../git/index.js';
import { forbidden, notFound, ruleViolated } from '../../../platform/errors/index.js';
import type { ProjectAccess } from '../../access/index.js';
import { ProjectStorage } from '../../projects/index.js';
import type { User } from '../../users/index.js';
import { ApiPush, type PushPlan } from '../pushes/api-push.js';
import { pushRefused, treeOf } from './branch-heads.js';
import { committerOf } from './commit-author.js';
import { PushRights } from './push-rights.js';

/**
 * Makes on one branch what a commit has changed elsewhere
 * (docs/reference/commits.md#post-projectsidrepositorycommitsshacherry_pick).
 */
@Injectable()
export class CherryPick {
  constructor(
    private readonly push: ApiPush,
    private readonly rights: PushRights,
    private readonly storage: ProjectStorage,
  ) {}

  /**
   * @param sha hash, abbreviated hash, branch or tag
   * @returns the new commit
   * @throws DomainError not found, rule violated, forbidden, conflict
   */
  async run(caller: User, access: ProjectAccess, sha: string, branch: string): Promise<Oid> {
    if (access.project.archived) throw forbidden();
    const repository = this.storage.repository(access.project);
    const oid = await repository.resolveCommit(sha);
    const commit = oid === null ? null : await repository.objects.commit(oid);
    if (commit === null) throw notFound('Commit');
    if ((await repository.refs.get(BRANCH_PREFIX + branch)) === null) throw notFound('Branch');
    await this.rights.require(access, branch);
    return this.push.run(
      { access, userId: caller.id },
      (locked) => planPick(locked, caller, commit, branch),
      { refused: pushRefused },
    );
  }
}

async function planPick(
  repository: Repository,
  caller: User,
  commit: Commit,
  branch: string,
): Promise<PushPlan<Oid>> {
  const ref = BRANCH_PREFIX + branch;
  const oldOid = await repository.refs.get(ref);
  if (oldOid === null) throw notFound('Branch');
  const [parent] = commit.parents;
  const ours = await treeOf(repository, oldOid);
  const base = parent === undefined ? null : await treeOf(repository, parent);
  const merged = await repository.mergeTrees({ base, ours, theirs: commit.tree });
  if (merged === null || merged.tree === ours) throw ruleViolated(IMPOSSIBLE);
  const objects = new NewObjects();
  objects.addAll(merged.objects);
  const { author, message } = commit;
  const committer = committerOf(caller);
  const newOid = objects.commit({
    tree: merged.tree,
    parents: [oldOid],
    author,
    committer,
    message,
  });
  return { updates: [{ ref, oldOid, newOid }], objects, result: newOid };
}

const IMPOSSIBLE =
  'Sorry, we cannot cherry-pick this commit automatically. It may have already been cherry-picked, ' +
  'or a more recent commit may have updated some of its content.';
