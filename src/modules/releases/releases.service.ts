import { Injectable } from '@nestjs/common';
import type { Commit } from '../../git/index.js';
import { UnitOfWork } from '../../platform/database/index.js';
import { DomainEvents } from '../../platform/events/index.js';
import {
  assertValid,
  forbidden,
  recordNotFound,
  unavailable,
} from '../../platform/errors/index.js';
import { describeInParts, type Page, type PageRequest } from '../../platform/pagination/index.js';
import type { ProjectAccess, ProjectRef } from '../authorization/index.js';
import { isEnabled } from '../issuables/index.js';
import {
  type Release,
  type ReleaseAction,
  ReleaseChanged,
  type ReleaseQuery,
  releaseRefused,
  ReleasesRepository,
  type ChangedReleaseValues,
  type ReleaseValues,
  TagsService,
} from '../repository/index.js';
import { authorOf, type User, UsersRepository } from '../users/index.js';
import type { ReleaseLink } from './links/release-link.entity.js';
import { assertLinks, type LinkValues, storedLink } from './links/release-link.rules.js';
import { ReleaseLinksRepository } from './links/release-links.repository.js';
import { milestonesMissing } from './model/refusals.js';
import {
  type CountedMilestone,
  type NamedMilestones,
  ReleaseMilestonesRepository,
} from './model/release-milestones.repository.js';
import { ReleaseSizesRepository } from './model/release-sizes.repository.js';

const MAX_NAME = 255;
const MILESTONES_PER_RELEASE = 100;
/** Clients resolve them before they send a request. */
const DOT_SEGMENTS: ReadonlySet<string> = new Set(['.', '..']);
/** When to try again, after a release was lost whose tag was made. */
const RETRY_SECONDS = 5;

export interface NewRelease extends ReleaseValues {
  readonly tag: string;
  /** What the tag marks if it does not exist yet: a revision. */
  readonly target?: string | undefined;
  /** Makes a new tag an annotated one. */
  readonly tagMessage?: string | undefined;
  readonly milestones?: NamedMilestones | undefined;
  readonly links: readonly LinkValues[];
}

/** Absent values stay as they are. */
export interface ReleaseChanges extends ChangedReleaseValues {
  readonly milestones?: NamedMilestones | undefined;
}

/** A release with what answers embed. */
export interface DescribedRelease {
  readonly release: Release;
  /** Null where an older version created it. */
  readonly author: User | null;
  /** What its tag marks; null where that is no commit. */
  readonly commit: Commit | null;
  /** The newest first. */
  readonly links: readonly ReleaseLink[];
  /** None where the project has neither issues nor merge requests. */
  readonly milestones: readonly CountedMilestone[];
}

/** Releases of projects (docs/reference/v4-releases.md), one for a tag at most. */
@Injectable()
export class ReleasesService {
  constructor(
    private readonly work: UnitOfWork,
    private readonly releases: ReleasesRepository,
    private readonly links: ReleaseLinksRepository,
    private readonly milestones: ReleaseMilestonesRepository,
    private readonly sizes: ReleaseSizesRepository,
    private readonly tags: TagsService,
    private readonly users: UsersRepository,
    private readonly events: DomainEvents,
  ) {}

  /** Lists releases, without their commits where `readsCode` is false: the reader may not know them. */
  async list(
    project: ProjectRef,
    query: ReleaseQuery,
    request: PageRequest,
    { readsCode }: { readsCode: boolean },
  ): Promise<Page<DescribedRelease>> {
    const page = await this.releases.page(project.id, query, request);
    const sizes = await this.sizes.ofReleases(page.items.map(({ id }) => id));
    return describeInParts(
      page,
      ({ id, textBytes }) => textBytes + (sizes.get(id) ?? 0),
      async (rows) => {
        const found = await this.releases.findByIds(rows.map(({ id }) => id));
        const releases = rows.flatMap(({ id }) => found.get(id) ?? []);
        const tags = readsCode ? releases.map(({ tag }) => tag) : [];
        return this.describe(project, releases, await this.tags.findCommits(project, tags));
      },
    );
  }

  /** @throws DomainError record not found */
  async read(project: ProjectRef, tag: string): Promise<DescribedRelease> {
    const release = await this.releases.find(project.id, tag);
    if (release === null) throw recordNotFound('release');
    return this.describeOne(project, release, await this.tags.findCommits(project, [tag]));
  }

  /**
   * Returns the address of the release with the latest date that is not in the future, below that of the releases.
   * @param suffix what follows the release in the address
   * @throws DomainError record not found, also for a suffix that leads out of the release
   */
  async readLatestPath(project: ProjectRef, suffix: string): Promise<string> {
    const segments = suffix === '' ? [] : suffix.split('/');
    const tag = await this.releases.findLatestTag(project.id);
    if (tag === null || segments.some((segment) => DOT_SEGMENTS.has(segment))) {
      throw recordNotFound('release');
    }
    return [tag, ...segments].map(encodeURIComponent).join('/');
  }

  /**
   * Creates a release, and its tag if that does not exist. A call that was interrupted between the two may be repeated.
   * @throws DomainError invalid fields, milestones missing, release refused, tag refused, forbidden; unavailable, where the tag
   *   was made and its release was not, for example when the connection to the database was lost
   */
  async create(caller: User, access: ProjectAccess, input: NewRelease): Promise<DescribedRelease> {
    const { project } = access;
    const { tag: name, target, tagMessage: message, milestones } = input;
    const links = input.links.map(storedLink);
    assertName(input.name);
    assertLinks(links);
    let milestoneIds: readonly number[] = [];
    let createdId = 0;
    await this.tags.ensure(
      caller,
      access,
      { name, target, message },
      {
        prepare: async () => {
          if ((await this.releases.find(project.id, name)) !== null) throw releaseRefused('exists');
          milestoneIds = (await this.holdMilestones(project, milestones)) ?? [];
        },
        write: async (commit) => {
          const values = { ...input, authorId: caller.id };
          const id = await this.releases.insert(project.id, name, values);
          if (id === null) throw releaseRefused('exists');
          createdId = id;
          await this.links.insert(id, links);
          await this.milestones.replace(id, milestoneIds);
          await this.events.publish(new ReleaseChanged(project.id, id, 'create', commit));
        },
      },
    );
    const release = await this.releases.find(project.id, name);
    // Recovery has recorded the tag of a push whose transaction was lost, but not what was written with it.
    if (release?.id !== createdId) throw unavailable(RETRY_SECONDS);
    return this.describeOne(project, release, await this.tags.findCommits(project, [name]));
  }

  /** @throws DomainError invalid fields, milestones missing, forbidden, also where there is no release */
  async update(
    project: ProjectRef,
    tag: string,
    { milestones, ...values }: ReleaseChanges,
  ): Promise<DescribedRelease> {
    assertName(values.name);
    return this.write(project, tag, 'update', async ({ id }) => {
      const milestoneIds = await this.holdMilestones(project, milestones);
      await this.releases.update(id, values);
      if (milestoneIds !== undefined) await this.milestones.replace(id, milestoneIds);
    });
  }

  /** Deletes a release, not its tag. @returns it as it was @throws DomainError forbidden, also where there is no release */
  async remove(project: ProjectRef, tag: string): Promise<DescribedRelease> {
    return this.write(project, tag, 'delete', () => Promise.resolve());
  }

  private async write(
    project: ProjectRef,
    tag: string,
    action: Exclude<ReleaseAction, 'create'>,
    change: (release: Release) => Promise<void>,
  ): Promise<DescribedRelease> {
    if (project.archived) throw forbidden();
    const commits = await this.tags.findCommits(project, [tag]);
    return this.work.run(async () => {
      const before = await this.releases.lock(project.id, tag);
      if (before === null) throw forbidden();
      await change(before);
      const commit = commits.get(tag) ?? null;
      await this.events.publish(new ReleaseChanged(project.id, before.id, action, commit));
      const release = (await this.releases.find(project.id, tag)) ?? before;
      const described = await this.describeOne(project, release, commits);
      if (action === 'delete') await this.releases.delete(release.id);
      return described;
    });
  }

  /** Holds the milestones that a request names; undefined where it names none. */
  private async holdMilestones(
    { id }: ProjectRef,
    named: NamedMilestones | undefined,
  ): Promise<readonly number[] | undefined> {
    if (named === undefined) return undefined;
    const count = ('titles' in named ? named.titles : named.ids).length;
    const limit = MILESTONES_PER_RELEASE;
    assertValid({ milestones: count > limit ? [{ rule: 'too-many', limit }] : [] });
    const { ids, missing } = await this.milestones.hold(id, named);
    if (missing.length > 0) throw milestonesMissing(missing);
    return ids;
  }

  private async describeOne(
    project: ProjectRef,
    release: Release,
    commits: ReadonlyMap<string, Commit>,
  ): Promise<DescribedRelease> {
    const [described] = await this.describe(project, [release], commits);
    return described as DescribedRelease;
  }

  private async describe(
    project: ProjectRef,
    releases: readonly Release[],
    commits: ReadonlyMap<string, Commit>,
  ): Promise<DescribedRelease[]> {
    const ids = releases.map(({ id }) => id);
    const authors = await this.users.findAuthors(
      releases.flatMap(({ authorId }) => authorId ?? []),
    );
    const links = await this.links.ofReleases(ids);
    const showsMilestones = isEnabled(project, 'Issue') || isEnabled(project, 'MergeRequest');
    const milestones = await this.milestones.ofReleases(showsMilestones ? ids : []);
    return releases.map((release) => ({
      release,
      author: release.authorId === null ? null : authorOf(authors, release.authorId),
      commit: commits.get(release.tag) ?? null,
      links: links.get(release.id) ?? [],
      milestones: milestones.get(release.id) ?? [],
    }));
  }
}

/** @throws DomainError invalid fields */
function assertName(name: string | undefined): void {
  const isLong = name !== undefined && name.length > MAX_NAME;
  assertValid({ name: isLong ? [{ rule: 'too-long', limit: MAX_NAME }] : [] });
}
