import { Injectable } from '@nestjs/common';
import {
  isWritableRefName,
  NewObjects,
  type Oid,
  type Repository,
  TAG_PREFIX,
  ZERO_OID,
} from '../../../git/index.js';
import { absent, type DomainError, ruleViolated } from '../../../platform/errors/index.js';
import type { ProjectAccess } from '../../access/index.js';
import type { User } from '../../users/index.js';
import { ApiPush, type PushPlan } from '../pushes/api-push.js';
import { committerOf } from '../writes/commit-author.js';
import { ReleasesRepository } from './releases.repository.js';

const MAX_NAME = 255;

export interface NewTag {
  name: string;
  /** Branch, tag or hash. */
  target: string;
  /** Makes it an annotated one. */
  message?: string | undefined;
  releaseDescription?: string | undefined;
}

/** Makes and deletes tags: pushes of the caller (docs/reference/tags.md#endpoints). */
@Injectable()
export class TagWrites {
  constructor(
    private readonly push: ApiPush,
    private readonly releases: ReleasesRepository,
  ) {}

  /** @throws DomainError rule violated, forbidden */
  async create(caller: User, access: ProjectAccess, tag: NewTag): Promise<void> {
    const isValid = isWritableRefName(TAG_PREFIX + tag.name) && tag.name.length <= MAX_NAME;
    if (!isValid) throw invalidName();
    const { releaseDescription: description } = tag;
    const plan = async (repository: Repository): Promise<PushPlan<void>> => {
      const made = await planCreation(repository, caller, tag);
      if (description === undefined) return made;
      const alongside = async (): Promise<void> => {
        await this.releases.add(access.project.id, tag.name, description);
      };
      return { ...made, alongside };
    };
    await this.push.run({ access, userId: caller.id }, plan, { blocked: invalidName });
  }

  /** Its release goes too. @throws DomainError absent, forbidden */
  async delete(caller: User, access: ProjectAccess, name: string): Promise<void> {
    await this.push.run({ access, userId: caller.id }, async (repository) => {
      const ref = TAG_PREFIX + name;
      const oldOid = await repository.refs.get(ref);
      if (oldOid === null) throw absent('No such tag');
      return { updates: [{ ref, oldOid, newOid: ZERO_OID }], result: undefined };
    });
  }
}

const invalidName = (): DomainError => ruleViolated('Tag name invalid');

async function planCreation(
  repository: Repository,
  caller: User,
  { name, target, message }: NewTag,
): Promise<PushPlan<void>> {
  const ref = TAG_PREFIX + name;
  if ((await repository.refs.get(ref)) !== null) throw ruleViolated(`Tag ${name} already exists`);
  const commit = await repository.resolveCommit(target);
  if (commit === null) throw ruleViolated(`Target ${target} is invalid`);
  const objects = new NewObjects();
  const newOid: Oid =
    message === undefined
      ? commit
      : objects.tag({ target: commit, name, tagger: committerOf(caller), message });
  return { updates: [{ ref, oldOid: ZERO_OID, newOid }], objects, result: undefined };
}
