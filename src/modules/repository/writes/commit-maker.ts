import { Injectable } from '@nestjs/common';
import { NewObjects, type Oid, type Repository, type TreeEditor } from '../../../git/index.js';
import type { ProjectAccess } from '../../access/index.js';
import type { User } from '../../users/index.js';
import { ApiPush, type PushPlan } from '../pushes/api-push.js';
import { branchBlocked, headOf, pushRefused, treeOf } from './branch-heads.js';
import { authorOf, committerOf, type GivenAuthor } from './commit-author.js';

export interface CommitTerms {
  branch: string;
  message: string;
  author: GivenAuthor;
}

export interface FilesToChange {
  editor: TreeEditor;
  objects: NewObjects;
  /** Whether it is the first commit of the repository. */
  isFirst: boolean;
}

/** Makes one commit upon whatever the branch has come to, and pushes it for the caller. */
@Injectable()
export class CommitMaker {
  constructor(private readonly push: ApiPush) {}

  /**
   * @param change may refuse by throwing: then nothing is written
   * @returns the commit
   * @throws DomainError rule violated, forbidden, conflict, or what `change` throws
   */
  async make(
    caller: User,
    access: ProjectAccess,
    terms: CommitTerms,
    change: (files: FilesToChange) => Promise<void>,
  ): Promise<Oid> {
    const plan = async (repository: Repository): Promise<PushPlan<Oid>> => {
      const { ref, oldOid, parent } = await headOf(repository, terms.branch);
      const objects = new NewObjects();
      const editor = repository.editTree(parent === null ? null : await treeOf(repository, parent));
      await change({ editor, objects, isFirst: parent === null });
      const committer = committerOf(caller);
      const newOid = objects.commit({
        tree: await editor.write(objects),
        parents: parent === null ? [] : [parent],
        author: authorOf(committer, terms.author),
        committer,
        message: terms.message,
      });
      return { updates: [{ ref, oldOid, newOid }], objects, result: newOid };
    };
    const options = { refused: pushRefused, blocked: branchBlocked };
    return this.push.run({ access, userId: caller.id }, plan, options);
  }
}
