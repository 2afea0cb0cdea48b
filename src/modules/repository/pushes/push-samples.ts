import { Injectable } from '@nestjs/common';
import {
  BRANCH_PREFIX,
  type RefUpdate,
  type Repository,
  TAG_PREFIX,
  ZERO_OID,
} from '../../../git/index.js';
import type { ProjectRef } from '../../access/index.js';
import { ProjectStorage } from '../../projects/index.js';
import { BroughtCommits } from './brought-commits.js';
import { PushDescriber, type PushPayload } from './push-payloads.js';

/** Makes up pushes of what is there already, to try with what is told of pushes. */
@Injectable()
export class PushSamples {
  constructor(
    private readonly storage: ProjectStorage,
    private readonly describer: PushDescriber,
    private readonly brought: BroughtCommits,
  ) {}

  /**
   * Describes the push that would bring the newest commit of the default branch, or the last tag by name;
   * null where there is none.
   */
  async make(
    kind: PushPayload['object_kind'],
    project: ProjectRef,
    userId: number,
  ): Promise<PushPayload | null> {
    const repository = this.storage.repository(project);
    const update =
      kind === 'push' ? await newestCommit(project, repository) : await lastTag(repository);
    if (update === null) return null;
    const push = { projectId: project.id, userId };
    const brought = await this.brought.of(project, repository, [update]);
    const refs = await this.describer.describe(push, repository, [update], brought);
    const [payload] = await refs.describe([update]);
    return payload ?? null;
  }
}

async function newestCommit(
  { defaultBranch }: ProjectRef,
  repository: Repository,
): Promise<RefUpdate | null> {
  if (defaultBranch === null) return null;
  const ref = `${BRANCH_PREFIX}${defaultBranch}`;
  const newOid = await repository.refs.get(ref);
  const commit = newOid === null ? null : await repository.objects.commit(newOid);
  return commit && { ref, oldOid: commit.parents[0] ?? ZERO_OID, newOid: commit.oid };
}

async function lastTag(repository: Repository): Promise<RefUpdate | null> {
  const tag = (await repository.refs.list(TAG_PREFIX)).at(-1);
  return tag === undefined ? null : { ref: tag.name, oldOid: ZERO_OID, newOid: tag.target };
}
