import { Injectable } from '@nestjs/common';
import { FileMode, type Oid } from '../../../git/index.js';
import type { ProjectAccess } from '../../authorization/index.js';
import type { User } from '../../users/index.js';
import { CommitWriter, type NewCommit } from '../commits/commit-writer.js';
import { submoduleRefused } from '../shared/refusals.js';

/** Where a submodule is to point at, with the terms of the commit. */
interface SubmoduleMove extends Pick<NewCommit, 'branch' | 'message'> {
  path: string;
  /** A commit of another repository: it is not checked. */
  target: Oid;
}

/** Changes submodules (docs/reference/v4-repository.md#files). */
@Injectable()
export class SubmodulesService {
  constructor(private readonly writer: CommitWriter) {}

  /**
   * Commits that a submodule points at another commit.
   * @returns the new commit
   * @throws DomainError submodule refused, commit refused, forbidden, conflict
   */
  move(caller: User, access: ProjectAccess, move: SubmoduleMove): Promise<Oid> {
    const { path, target, branch, message } = move;
    const commit = { branch, message, author: {} };
    return this.writer.commitChanges(caller, access, commit, async ({ editor }) => {
      const entry = await editor.find(path);
      if (entry?.mode !== FileMode.SUBMODULE) throw submoduleRefused({ reason: 'missing' });
      if (entry.oid === target) throw submoduleRefused({ reason: 'unchanged', path, target });
      await editor.put(path, { mode: FileMode.SUBMODULE, oid: target });
    });
  }
}
