import { Injectable } from '@nestjs/common';
import {
  BRANCH_PREFIX,
  isWritableRefName,
  type Oid,
  type Repository,
  ZERO_OID,
} from '../../../git/index.js';
import {
  absent,
  type DomainError,
  forbidden,
  methodNotAllowed,
  ruleViolated,
} from '../../../platform/errors/index.js';
import type { ProjectRef } from '../../access/index.js';
import { ApiPush, type PushPlan } from '../pushes/api-push.js';
import type { LockedProject } from '../pushes/push-intents.repository.js';
import type { Pusher } from '../pushes/push-session.js';
import { REFUSAL } from '../pushes/push.policy.js';
import { protectionOf } from '../protection/protection.policy.js';
import { ProtectedBranchesRepository } from '../protection/protected-branches.repository.js';

/** Makes and deletes branches: pushes of the caller (docs/reference/branches.md#endpoints). */
@Injectable()
export class BranchWrites {
  constructor(
    private readonly push: ApiPush,
    private readonly protectedBranches: ProtectedBranchesRepository,
  ) {}

  /**
   * @param start branch, tag or hash
   * @throws DomainError rule violated, forbidden
   */
  async create(pusher: Pusher, name: string, start: string): Promise<void> {
    if (!isWritableRefName(BRANCH_PREFIX + name)) throw invalidName();
    await this.push.run(pusher, (repository) => planCreation(repository, name, start), {
      blocked: invalidName,
    });
  }

  /** @throws DomainError absent, method not allowed, forbidden */
  async delete(pusher: Pusher, name: string): Promise<void> {
    await this.push.run(
      pusher,
      (repository, project) => this.planDeletion(repository, project, name),
      { refused: refusedDeletion },
    );
  }

  /**
   * Deletes a branch that is of no more use, as long as it is where it was seen and nothing keeps it: the
   * default branch and protected ones stay.
   * @param alongside what to write when that is decided, whatever came of it
   * @throws DomainError forbidden
   */
  async discard(
    pusher: Pusher,
    { name, target }: { name: string; target: Oid },
    alongside: () => Promise<void>,
  ): Promise<void> {
    await this.push.run(pusher, async (repository, project) => {
      const ref = BRANCH_PREFIX + name;
      const rules = await this.protectedBranches.rulesOf(project.id);
      const isKept =
        (await repository.refs.get(ref)) !== target ||
        protectionOf(name, rules).protected ||
        (await isHead(repository, project, name));
      const updates = isKept ? [] : [{ ref, oldOid: target, newOid: ZERO_OID }];
      return { updates, alongside, result: undefined };
    });
  }

  private async planDeletion(
    repository: Repository,
    project: LockedProject,
    name: string,
  ): Promise<PushPlan<void>> {
    const ref = BRANCH_PREFIX + name;
    const oldOid = await repository.refs.get(ref);
    if (oldOid === null) throw absent('No such branch');
    if (await isHead(repository, project, name))
      throw methodNotAllowed('Cannot remove HEAD branch');
    const rules = await this.protectedBranches.rulesOf(project.id);
    if (protectionOf(name, rules).protected) throw methodNotAllowed(PROTECTED);
    return { updates: [{ ref, oldOid, newOid: ZERO_OID }], result: undefined };
  }
}

const PROTECTED = 'Protected branch cant be removed';

const invalidName = (): DomainError => ruleViolated('Branch name is invalid');

function refusedDeletion(reason: string): DomainError {
  return reason === REFUSAL.deleteProtected ? methodNotAllowed(PROTECTED) : forbidden(reason);
}

async function planCreation(
  repository: Repository,
  name: string,
  start: string,
): Promise<PushPlan<void>> {
  const ref = BRANCH_PREFIX + name;
  if ((await repository.refs.get(ref)) !== null) throw ruleViolated('Branch already exists');
  const newOid = await repository.resolveCommit(start);
  if (newOid === null) throw ruleViolated('Invalid reference name');
  return { updates: [{ ref, oldOid: ZERO_OID, newOid }], result: undefined };
}

/** The branch that a clone checks out, by the database or by the repository. */
export async function isHead(
  repository: Repository,
  { defaultBranch }: Pick<ProjectRef, 'defaultBranch'>,
  name: string,
): Promise<boolean> {
  return name === defaultBranch || name === (await repository.refs.head());
}
