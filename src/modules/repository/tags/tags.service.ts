import { Injectable } from '@nestjs/common';
import {
  type Commit,
  isWritableRefName,
  NewObjects,
  type Oid,
  type Ref,
  type Repository,
  TAG_PREFIX,
  ZERO_OID,
} from '../../../git/index.js';
import { type DomainError, forbidden, notFound } from '../../../platform/errors/index.js';
import { describeInParts, Page, type PageRequest } from '../../../platform/pagination/index.js';
import type { ProjectAccess, ProjectRef } from '../../authorization/index.js';
import { ProjectStorage, PushLock } from '../../storage/index.js';
import type { User } from '../../users/index.js';
import { committerOf } from '../commits/commit-writer.js';
import { ApiPush, type PushPlan } from '../pushes/api-push.js';
import { cutMessages, listCommits } from '../shared/commit-text.js';
import { releaseRefused, tagRefused } from '../shared/refusals.js';
import { ReleasesRepository } from './releases.repository.js';

const MAX_NAME = 255;

export interface Tag {
  name: string;
  /** Null for a lightweight tag. */
  message: string | null;
  /** Null for a tag that marks no commit. */
  commit: Commit | null;
  /** The description of its release; null without one. */
  release: string | null;
}

interface NewTag {
  name: string;
  /** A revision. */
  target: string;
  /** Makes it an annotated tag. */
  message?: string | undefined;
  releaseDescription?: string | undefined;
}

/** Tags and their releases (docs/reference/tags.md#endpoints). Writes of tags are pushes of the caller. */
@Injectable()
export class TagsService {
  constructor(
    private readonly storage: ProjectStorage,
    private readonly releases: ReleasesRepository,
    private readonly apiPush: ApiPush,
    private readonly lock: PushLock,
  ) {}

  /** Lists the tags by name, in descending order; none in an empty repository. */
  async list(project: ProjectRef, request: PageRequest): Promise<Page<Tag>> {
    const repository = this.storage.snapshot(project);
    const page = Page.of((await repository.refs.list(TAG_PREFIX)).toReversed(), request);
    const sizes = await this.releases.sizesOf(project.id, page.items.map(tagName));
    return describeInParts(
      page,
      (ref) => sizes.get(tagName(ref)) ?? 0,
      async (refs) => {
        const oids = refs.map(({ target }) => target);
        const messages = cutMessages(await repository.objects.listedTagMessages(oids));
        return this.describe(project, repository, refs, messages);
      },
    );
  }

  /** @throws DomainError not found */
  async read(project: ProjectRef, name: string): Promise<Tag> {
    const repository = this.storage.snapshot(project);
    const target = await repository.refs.get(TAG_PREFIX + name);
    if (target === null) throw notFound('tag');
    const messages = await repository.objects.tagMessages([target]);
    const refs = [{ name: TAG_PREFIX + name, target }];
    const [tag] = await this.describe(project, repository, refs, messages);
    return tag as Tag;
  }

  /** @throws DomainError tag refused, forbidden */
  async create(caller: User, access: ProjectAccess, tag: NewTag): Promise<void> {
    const isValid = isWritableRefName(TAG_PREFIX + tag.name) && tag.name.length <= MAX_NAME;
    if (!isValid) throw invalidName();
    const { releaseDescription: description } = tag;
    const planTag = async (repository: Repository): Promise<PushPlan> => {
      const plan = await planCreation(repository, caller, tag);
      if (description === undefined) return plan;
      const alongside = async (): Promise<void> => {
        await this.releases.insert(access.project.id, tag.name, description);
      };
      return { ...plan, alongside };
    };
    await this.apiPush.push({ access, userId: caller.id }, planTag, { blocked: invalidName });
  }

  /** Deletes a tag with its release. @throws DomainError tag refused, forbidden */
  async delete(caller: User, access: ProjectAccess, name: string): Promise<void> {
    await this.apiPush.push({ access, userId: caller.id }, async (repository) => {
      const ref = TAG_PREFIX + name;
      const oldOid = await repository.refs.get(ref);
      if (oldOid === null) throw tagRefused({ reason: 'missing' });
      return { updates: [{ ref, oldOid, newOid: ZERO_OID }] };
    });
  }

  /** @throws DomainError tag refused, release refused, forbidden */
  createRelease(project: ProjectRef, tag: string, description: string): Promise<void> {
    return this.writeRelease(project, tag, async () => {
      if (tag.length > MAX_NAME) throw invalidName();
      const isNew = await this.releases.insert(project.id, tag, description);
      if (!isNew) throw releaseRefused('exists');
    });
  }

  /** @throws DomainError release refused, forbidden */
  updateRelease(project: ProjectRef, tag: string, description: string): Promise<void> {
    return this.writeRelease(project, tag, async () => {
      const isUpdated = await this.releases.update(project.id, tag, description);
      if (!isUpdated) throw releaseRefused('missing');
    });
  }

  /** Runs a unit of work under the push lock, so that the tag cannot be deleted meanwhile. */
  private writeRelease(
    project: ProjectRef,
    tag: string,
    write: () => Promise<void>,
  ): Promise<void> {
    if (project.archived) throw forbidden();
    const claim = { projectIds: [project.id], userId: project.client?.userId ?? null };
    return this.lock.hold(claim, async () => {
      const target = await this.storage.repository(project).refs.get(TAG_PREFIX + tag);
      if (target === null) throw releaseRefused('tag-missing');
      await write();
    });
  }

  private async describe(
    project: ProjectRef,
    repository: Repository,
    refs: readonly Ref[],
    messages: readonly (string | null)[],
  ): Promise<Tag[]> {
    const names = refs.map(tagName);
    const [commits, releases] = await Promise.all([
      readCommits(repository, refs),
      this.releases.descriptionsOf(project.id, names),
    ]);
    return names.map((name, index) => ({
      name,
      message: messages[index] ?? null,
      commit: commits[index] ?? null,
      release: releases.get(name) ?? null,
    }));
  }
}

const invalidName = (): DomainError => tagRefused({ reason: 'invalid-name' });

const tagName = ({ name }: Ref): string => name.slice(TAG_PREFIX.length);

async function planCreation(
  repository: Repository,
  caller: User,
  { name, target, message }: NewTag,
): Promise<PushPlan> {
  const ref = TAG_PREFIX + name;
  if ((await repository.refs.get(ref)) !== null) throw tagRefused({ reason: 'exists', name });
  const commit = await repository.resolveCommit(target);
  if (commit === null) throw tagRefused({ reason: 'invalid-target', target });
  const objects = new NewObjects();
  const newOid: Oid =
    message === undefined
      ? commit
      : objects.tag({ target: commit, name, tagger: committerOf(caller), message });
  return { updates: [{ ref, oldOid: ZERO_OID, newOid }], objects };
}

/** Reads the commits that tags mark, for a list; null for a tag of another object. */
async function readCommits(
  repository: Repository,
  refs: readonly Ref[],
): Promise<(Commit | null)[]> {
  const oids = await Promise.all(refs.map(({ target }) => repository.commitOf(target)));
  const found = await listCommits(
    repository,
    oids.filter((oid) => oid !== null),
  );
  const byOid = new Map(found.map((commit) => [commit.oid, commit]));
  return oids.map((oid) => (oid === null ? null : (byOid.get(oid) ?? null)));
}
