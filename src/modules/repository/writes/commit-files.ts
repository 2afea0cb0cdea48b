import { Injectable } from '@nestjs/common';
import type { Oid } from '../../../git/index.js';
import { ruleViolated } from '../../../platform/errors/index.js';
import type { ProjectAccess } from '../../access/index.js';
import type { User } from '../../users/index.js';
import { applySteps, readActions } from './apply-actions.js';
import type { GivenAuthor } from './commit-author.js';
import { CommitMaker } from './commit-maker.js';
import type { FileAction } from './file-action.js';
import { PushRights } from './push-rights.js';

export interface CommitInput {
  branch: string;
  message: string;
  author: GivenAuthor;
  actions: readonly FileAction[];
}

/**
 * Makes one commit of changes of files, all of them or none
 * (docs/reference/commits.md#post-projectsidrepositorycommits).
 */
@Injectable()
export class CommitFiles {
  constructor(
    private readonly commits: CommitMaker,
    private readonly rights: PushRights,
  ) {}

  /**
   * @returns the commit
   * @throws DomainError rule violated, invalid parameter, forbidden, conflict
   */
  async run(caller: User, access: ProjectAccess, input: CommitInput): Promise<Oid> {
    const { actions, ...terms } = input;
    await this.rights.require(access, input.branch);
    const steps = readActions(actions);
    return this.commits.make(caller, access, terms, async (files) => {
      if (files.isFirst && steps.some(({ action }) => action !== 'create')) {
        throw ruleViolated('No files to update.');
      }
      await applySteps(steps, files.editor, files.objects);
    });
  }
}
