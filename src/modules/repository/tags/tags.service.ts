import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import {
  type Commit,
  isWritableRefName,
  NewObjects,
  type Oid,
  type Ref,
  type Repository,
  type Signature,
  TAG_PREFIX,
  type TagText,
  ZERO_OID,
} from '../../../git/index.js';
import { type DomainError, forbidden, notFound } from '../../../platform/errors/index.js';
import { DomainEvents } from '../../../platform/events/index.js';
import {
  describeInParts,
  mapPage,
  Page,
  type PageRequest,
} from '../../../platform/pagination/index.js';
import type { ProjectAccess, ProjectRef } from '../../authorization/index.js';
import { ProjectStorage, PushLock } from '../../storage/index.js';
import type { User } from '../../users/index.js';
import { committerOf } from '../commits/commit-writer.js';
import { ApiPush, type PushPlan } from '../pushes/api-push.js';
import { cutMessages, listCommits } from '../shared/commit-text.js';
import { releaseRefused, tagRefused } from '../shared/refusals.js';
import { refsBehind, selectByName } from '../shared/select-refs.js';
import { ReleaseChanged } from './release.events.js';
import { ReleasesRepository } from './releases.repository.js';

const MAX_NAME = 255;
/** More tags are listed by name in place of their dates or versions: reading and comparing these takes too long. */
const MAX_SORTED = 10_000;
const DATED_AT_ONCE = 200;
const DATED_LISTS = 100;

export interface Tag {
  name: string;
  /** What it marks; of an annotated tag the tag object. */
  target: Oid;
  /** Null for a lightweight tag. */
  message: string | null;
  /** Null for a lightweight tag, and where the tag object names none. */
  tagger: Signature | null;
  /** Null for a tag that marks no commit. */
  commit: Commit | null;
  /** The description of its release; null without one. */
  release: string | null;
}

/** An order of tags, and which of them are listed. */
export interface TagQuery {
  /** `updated` is by the date of the tag object or else of the commit. */
  order: 'name' | 'updated' | 'version';
  isAscending: boolean;
  /** A part of their names, without case; `^` before it stands for the beginning, `$` behind it for the end. */
  search?: string | undefined;
  /** The name of a tag: only those behind it. */
  after?: string | undefined;
}

const BY_NAME: TagQuery = { order: 'name', isAscending: false };

interface NewTag {
  name: string;
  /** A revision. */
  target: string;
  /** Makes it an annotated tag. */
  message?: string | undefined;
  releaseDescription?: string | undefined;
}

/** A tag that is used as it is, or else made. */
type WantedTag = Pick<NewTag, 'name' | 'message'> & {
  /** A revision; without it the tag has to exist. */
  target?: string | undefined;
};

/** What is done with a tag, in the unit of work that holds the push lock. */
interface TagSteps {
  /** Checks and locks rows before the tag is made. */
  readonly prepare: () => Promise<void>;
  /** Writes rows once the tag exists. @param commit that it marks */
  readonly write: (commit: Commit | null) => Promise<void>;
}

/** Tags and their releases (docs/reference/tags.md#endpoints). Writes of tags are pushes of the caller. */
@Injectable()
export class TagsService {
  /** Milliseconds of the tags of lists, by project and version. */
  private readonly dates = new LRUCache<string, Float64Array>({ max: DATED_LISTS });

  constructor(
    private readonly storage: ProjectStorage,
    private readonly releases: ReleasesRepository,
    private readonly apiPush: ApiPush,
    private readonly lock: PushLock,
    private readonly events: DomainEvents,
  ) {}

  /**
   * Lists the tags; none in an empty repository.
   * @param follow adds to a page how the list goes on; by names alone, since long texts of the page are loaded later
   * @throws DomainError page token unknown: there is no tag `after`, or no longer
   */
  async list(
    project: ProjectRef,
    request: PageRequest,
    query: TagQuery = BY_NAME,
    follow: (page: Page<Pick<Tag, 'name'>>) => Page<Pick<Tag, 'name'>> = (page) => page,
  ): Promise<Page<Tag>> {
    const repository = this.storage.snapshot(project);
    const sorted = await this.sortRefs(project, repository, query);
    const behind = refsBehind(sorted, TAG_PREFIX, query.after);
    const selected = Page.of(selectByName(behind, TAG_PREFIX, query.search), request);
    const named = follow(mapPage(selected, (ref) => ({ name: tagName(ref) })));
    const page = named.withItems(selected.items);
    const sizes = await this.releases.sizesOf(project.id, page.items.map(tagName));
    return describeInParts(
      page,
      (ref) => sizes.get(tagName(ref)) ?? 0,
      async (refs) => {
        const oids = refs.map(({ target }) => target);
        const texts = await repository.objects.listedTags(oids);
        const messages = cutMessages(texts.map((text) => text?.message ?? null));
        const cut = texts.map((text, index) => text && { ...text, message: messages[index] ?? '' });
        return this.describe(project, repository, refs, cut);
      },
    );
  }

  /** @throws DomainError not found */
  async read(project: ProjectRef, name: string): Promise<Tag> {
    const repository = this.storage.snapshot(project);
    const target = await repository.refs.get(TAG_PREFIX + name);
    if (target === null) throw notFound('tag');
    const texts = await repository.objects.tags([target]);
    const refs = [{ name: TAG_PREFIX + name, target }];
    const [tag] = await this.describe(project, repository, refs, texts);
    return tag as Tag;
  }

  /** Returns the commits that some tags mark, by the names of the tags, with messages cut as in lists. */
  async findCommits(
    project: ProjectRef,
    names: readonly string[],
  ): Promise<ReadonlyMap<string, Commit>> {
    if (names.length === 0) return new Map();
    const repository = this.storage.snapshot(project);
    const targets = await repository.refs.getAll(names.map((name) => TAG_PREFIX + name));
    const refs = names.flatMap((name, index) => {
      const target = targets[index] ?? null;
      return target === null ? [] : { name: TAG_PREFIX + name, target };
    });
    const commits = await readCommits(repository, refs);
    return new Map(
      refs.flatMap((ref, index) => {
        const commit = commits[index] ?? null;
        return commit === null ? [] : [[tagName(ref), commit] as const];
      }),
    );
  }

  /**
   * Has a tag exist, which is made unless it does, and writes rows with it. After a crash between the two there is the tag alone,
   * which another call uses.
   * @throws DomainError tag refused, release refused, forbidden, or an error of the steps
   */
  async ensure(
    caller: User,
    access: ProjectAccess,
    tag: WantedTag,
    { prepare, write }: TagSteps,
  ): Promise<void> {
    const { name, target } = tag;
    if (name.length > MAX_NAME) throw invalidName();
    const planTag = async (repository: Repository): Promise<PushPlan> => {
      await prepare();
      const existing = await repository.refs.get(TAG_PREFIX + name);
      if (existing !== null) {
        const commit = await readCommit(repository, existing);
        return { updates: [], alongside: () => write(commit) };
      }
      if (target === undefined) throw releaseRefused('ref-missing');
      if (!isWritableRefName(TAG_PREFIX + name)) throw invalidName();
      const plan = await planCreation(repository, caller, { ...tag, target });
      const commit = await repository.objects.commit(plan.commit);
      return { ...plan, alongside: () => write(commit) };
    };
    await this.apiPush.push({ access, userId: caller.id }, planTag, { blocked: invalidName });
  }

  /** @throws DomainError tag refused, forbidden */
  async create(caller: User, access: ProjectAccess, tag: NewTag): Promise<void> {
    const isValid = isWritableRefName(TAG_PREFIX + tag.name) && tag.name.length <= MAX_NAME;
    if (!isValid) throw invalidName();
    const { releaseDescription: description } = tag;
    const planTag = async (repository: Repository): Promise<PushPlan> => {
      const plan = await planCreation(repository, caller, tag);
      if (description === undefined) return plan;
      const commit = await repository.objects.commit(plan.commit);
      const alongside = async (): Promise<void> => {
        await this.insertRelease(caller, access.project, { tag: tag.name, description, commit });
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
  createRelease(
    caller: User,
    project: ProjectRef,
    tag: string,
    description: string,
  ): Promise<void> {
    return this.writeRelease(project, tag, async (commit) => {
      if (tag.length > MAX_NAME) throw invalidName();
      const isNew = await this.insertRelease(caller, project, { tag, description, commit });
      if (!isNew) throw releaseRefused('exists');
    });
  }

  /** @throws DomainError release refused, forbidden */
  updateRelease(project: ProjectRef, tag: string, description: string): Promise<void> {
    return this.writeRelease(project, tag, async (commit) => {
      const release = await this.releases.lock(project.id, tag);
      if (release === null) throw releaseRefused('missing');
      await this.releases.update(release.id, { description });
      await this.events.publish(new ReleaseChanged(project.id, release.id, 'update', commit));
    });
  }

  /** @returns false when the tag has a release already */
  private async insertRelease(
    { id: authorId }: User,
    { id: projectId }: ProjectRef,
    { tag, description, commit }: { tag: string; description: string; commit: Commit | null },
  ): Promise<boolean> {
    const id = await this.releases.insert(projectId, tag, { description, authorId });
    if (id === null) return false;
    await this.events.publish(new ReleaseChanged(projectId, id, 'create', commit));
    return true;
  }

  /** Runs a unit of work under the push lock, so that the tag cannot be deleted meanwhile. */
  private writeRelease(
    project: ProjectRef,
    tag: string,
    write: (commit: Commit | null) => Promise<void>,
  ): Promise<void> {
    if (project.archived) throw forbidden();
    const claim = { projectIds: [project.id], userId: project.client?.userId ?? null };
    return this.lock.hold(claim, async () => {
      const repository = this.storage.repository(project);
      const target = await repository.refs.get(TAG_PREFIX + tag);
      if (target === null) throw releaseRefused('tag-missing');
      await write(await readCommit(repository, target));
    });
  }

  private async sortRefs(
    project: ProjectRef,
    repository: Repository,
    { order, isAscending }: TagQuery,
  ): Promise<readonly Ref[]> {
    const { refs, version } = await repository.refs.listed(TAG_PREFIX);
    if (order === 'name' || refs.length > MAX_SORTED) return inOrder(refs, isAscending);
    if (order === 'version') return inOrder([...refs].sort(byVersion), isAscending);
    const key = `${String(project.id)} ${version}`;
    const dates = this.dates.get(key) ?? (await readDates(repository, refs));
    this.dates.set(key, dates);
    const indexes = [...refs.keys()].sort((a, b) => (dates[a] ?? 0) - (dates[b] ?? 0));
    return inOrder(
      indexes.map((index) => refs[index] as Ref),
      isAscending,
    );
  }

  private async describe(
    project: ProjectRef,
    repository: Repository,
    refs: readonly Ref[],
    texts: readonly (TagText | null)[],
  ): Promise<Tag[]> {
    const names = refs.map(tagName);
    const [commits, releases] = await Promise.all([
      readCommits(repository, refs),
      this.releases.descriptionsOf(project.id, names),
    ]);
    return names.map((name, index) => ({
      name,
      target: (refs[index] as Ref).target,
      message: texts[index]?.message ?? null,
      tagger: texts[index]?.tagger ?? null,
      commit: commits[index] ?? null,
      release: releases.get(name) ?? null,
    }));
  }
}

const invalidName = (): DomainError => tagRefused({ reason: 'invalid-name' });

const tagName = ({ name }: Ref): string => name.slice(TAG_PREFIX.length);

const inOrder = <T>(ascending: readonly T[], isAscending: boolean): readonly T[] =>
  isAscending ? ascending : ascending.toReversed();

/** Compares numbers within names by their value: `v2` comes before `v10`. */
const VERSIONS = new Intl.Collator('en', { numeric: true });
const byVersion = (a: Ref, b: Ref): number => VERSIONS.compare(a.name, b.name);

/** Reads the dates of tag objects, and of commits that lightweight tags mark, in milliseconds. */
async function readDates({ objects }: Repository, refs: readonly Ref[]): Promise<Float64Array> {
  const dates = new Float64Array(refs.length);
  for (let at = 0; at < refs.length; at += DATED_AT_ONCE) {
    const oids = refs.slice(at, at + DATED_AT_ONCE).map(({ target }) => target);
    const texts = await objects.listedTags(oids);
    const plain = oids.filter((_, index) => texts[index] === null);
    const commits = new Map((await objects.listed(plain)).map((commit) => [commit.oid, commit]));
    for (const [index, oid] of oids.entries()) {
      const { date } = texts[index]?.tagger ?? commits.get(oid)?.committer ?? {};
      dates[at + index] = date?.getTime() ?? 0;
    }
  }
  return dates;
}

/** The push that creates a tag, and the commit that the tag is to mark. */
type TagPlan = PushPlan & { readonly commit: Oid };

async function planCreation(
  repository: Repository,
  caller: User,
  { name, target, message }: NewTag,
): Promise<TagPlan> {
  const ref = TAG_PREFIX + name;
  if ((await repository.refs.get(ref)) !== null) throw tagRefused({ reason: 'exists', name });
  const commit = await repository.resolveCommit(target);
  if (commit === null) throw tagRefused({ reason: 'invalid-target', target });
  const objects = new NewObjects();
  const newOid: Oid =
    message === undefined
      ? commit
      : objects.tag({ target: commit, name, tagger: committerOf(caller), message });
  return { updates: [{ ref, oldOid: ZERO_OID, newOid }], objects, commit };
}

/** Reads the commit that a ref marks; null for another object. */
async function readCommit(repository: Repository, target: Oid): Promise<Commit | null> {
  const oid = await repository.commitOf(target);
  return oid === null ? null : repository.objects.commit(oid);
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
