import { Injectable } from '@nestjs/common';
import { BRANCH_PREFIX, ZERO_OID } from '../../../git/index.js';
import { forbidden } from '../../../platform/errors/index.js';
import type { ProjectAccess } from '../../access/index.js';
import { ProjectStorage } from '../../projects/index.js';
import { PushJudge } from '../pushes/push-judge.js';
import { REFUSAL } from '../pushes/push.policy.js';
import { pushRefused } from './branch-heads.js';

/** Stands for a commit that is not made yet. */
const SOME_COMMIT = 'f'.repeat(40);

/** Asks before any work is done whether a caller may push to a branch. */
@Injectable()
export class PushRights {
  constructor(
    private readonly judge: PushJudge,
    private readonly storage: ProjectStorage,
  ) {}

  /** @throws DomainError forbidden in an archived project, rule violated without the right */
  async require(access: ProjectAccess, branch: string): Promise<void> {
    if (access.project.archived) throw forbidden();
    const ref = BRANCH_PREFIX + branch;
    const head = await this.storage.repository(access.project).refs.get(ref);
    const update = { ref, oldOid: head ?? ZERO_OID, newOid: SOME_COMMIT };
    const refusals = await this.judge.apiRefusals(access, [update]);
    // Callers refuse a name that no branch may have by themselves, as a branch that does not exist.
    if ([...refusals.values()].some((text) => text !== REFUSAL.name)) throw pushRefused();
  }
}
