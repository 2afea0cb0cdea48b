import { Injectable } from '@nestjs/common';
import { type Commit, type Ref, type Repository, TAG_PREFIX } from '../../../git/index.js';
import { notFound } from '../../../platform/errors/index.js';
import { describeInParts, Page, type PageRequest } from '../../../platform/http/index.js';
import type { ProjectRef } from '../../access/index.js';
import { ProjectStorage } from '../../projects/index.js';
import { cutMessages, listCommits } from '../listed-commits.js';
import { TagReleases } from './tag-releases.js';

export interface Tag {
  name: string;
  /** Null for a lightweight tag. */
  message: string | null;
  /** Null for a tag that marks no commit. */
  commit: Commit | null;
  /** What is written about the version; null for nothing. */
  release: string | null;
}

@Injectable()
export class TagsService {
  constructor(
    private readonly storage: ProjectStorage,
    private readonly releases: TagReleases,
  ) {}

  /** By name, the last first; an empty repository has none. */
  async list(project: ProjectRef, request: PageRequest): Promise<Page<Tag>> {
    const repository = this.storage.repository(project);
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
    const repository = this.storage.repository(project);
    const target = await repository.refs.get(TAG_PREFIX + name);
    if (target === null) throw notFound('Tag');
    const messages = await repository.objects.tagMessages([target]);
    const refs = [{ name: TAG_PREFIX + name, target }];
    const [tag] = await this.describe(project, repository, refs, messages);
    return tag as Tag;
  }

  private async describe(
    project: ProjectRef,
    repository: Repository,
    refs: readonly Ref[],
    messages: readonly (string | null)[],
  ): Promise<Tag[]> {
    const names = refs.map(tagName);
    const [commits, releases] = await Promise.all([
      commitsOf(repository, refs),
      this.releases.ofTags(project.id, names),
    ]);
    return names.map((name, index) => ({
      name,
      message: messages[index] ?? null,
      commit: commits[index] ?? null,
      release: releases.get(name) ?? null,
    }));
  }
}

const tagName = ({ name }: Ref): string => name.slice(TAG_PREFIX.length);

async function commitsOf(repository: Repository, refs: readonly Ref[]): Promise<(Commit | null)[]> {
  const oids = await Promise.all(refs.map(({ target }) => repository.commitOf(target)));
  const found = await listCommits(
    repository,
    oids.filter((oid) => oid !== null),
  );
  const byOid = new Map(found.map((commit) => [commit.oid, commit]));
  return oids.map((oid) => (oid === null ? null : (byOid.get(oid) ?? null)));
}
