import { Injectable } from '@nestjs/common';
import {
  BRANCH_PREFIX,
  type ChangeCounts,
  type Commit,
  HEAD,
  type HistoryPage,
  type Oid,
  type Repository,
  TAG_PREFIX,
} from '../../../git/index.js';
import { notFound } from '../../../platform/errors/index.js';
import {
  COUNTED_ITEMS,
  Page,
  type PageRequest,
  windowOf,
} from '../../../platform/pagination/index.js';
import type { ProjectRef } from '../../authorization/index.js';
import { ProjectStorage } from '../../storage/index.js';
import type { CacheableAnswer } from '../shared/answer-cache.js';
import { listCommits } from '../shared/commit-text.js';
import { CombinedStatuses, type CommitWithStatus } from './statuses/combined-statuses.js';
import type { CombinedState } from './statuses/status.rules.js';

/** Contributors are counted by the newest commits that are not merges. */
const COUNTED_COMMITS = 2_000;
/** As many of the refs that contain a commit are listed, and counted, as those of other lists are counted. */
const LISTED_REFS = COUNTED_ITEMS;

const REF_PREFIXES = { branch: BRANCH_PREFIX, tag: TAG_PREFIX } as const;

export type RefKind = keyof typeof REF_PREFIXES;

/** A branch or tag that contains a commit. */
export interface ContainingRef {
  kind: RefKind;
  name: string;
}

export interface CommitFilter {
  /** The default branch if absent. */
  refName?: string | undefined;
  /** What all branches and tags reach, in place of what a ref reaches. */
  allRefs?: boolean | undefined;
  since?: Date | undefined;
  until?: Date | undefined;
  path?: string | undefined;
  /** A part of the author's name or address. */
  author?: string | undefined;
  firstParent?: boolean | undefined;
  /** By date, not in topological order. */
  byDate?: boolean | undefined;
}

/** A commit of a list. */
export type ListedCommit = CommitWithStatus & {
  /** The changed lines, where the list counts them. */
  stats?: ChangeCounts | undefined;
};

export interface Contributor {
  name: string;
  email: string;
  commits: number;
}

/** Reads commits, by revision (docs/reference/conventions.md#revisions). `CommitWriter` creates them. */
@Injectable()
export class CommitsService {
  constructor(
    private readonly storage: ProjectStorage,
    private readonly statuses: CombinedStatuses,
  ) {}

  /**
   * Lists the commits of a ref, newest first; none for an unknown ref or an empty repository
   * (docs/reference/commits.md#get-projectsidrepositorycommits).
   */
  async list(
    project: ProjectRef,
    { refName, allRefs = false, ...filter }: CommitFilter,
    request: PageRequest,
    { withStats = false }: { withStats?: boolean } = {},
  ): Promise<CacheableAnswer<Page<ListedCommit>>> {
    const { page, perPage } = request;
    const repository = this.storage.snapshot(project);
    const start = allRefs
      ? await tipsOf(repository)
      : await repository.resolveCommit(refName ?? HEAD);
    if (start === null) return emptyPage(request);
    const { offset: skip, limit } = windowOf(request);
    const history = await repository.history({ start, ...filter, skip, limit });
    const shown = history.oids.slice(0, perPage);
    const statuses = await this.statuses.ofCommits(project, shown);
    const known = shown.map((oid) => statuses.get(oid));
    return {
      // The hashes say what several tips reach.
      key: allRefs
        ? ['all commits', history, withStats, page, perPage, known]
        : ['commits', start, filter, withStats, page, perPage, known],
      make: () => readPage(repository, history, { statuses, withStats }, request),
    };
  }

  /**
   * Counts the commits that a commit can reach, itself included.
   * @throws DomainError not found
   */
  async count(
    project: ProjectRef,
    revision: string,
    options: { firstParent: boolean },
  ): Promise<CacheableAnswer<number>> {
    const sha = await this.resolve(project, revision);
    const repository = this.storage.snapshot(project);
    return {
      key: ['sequence', sha, options],
      make: () => repository.countHistory(sha, options),
    };
  }

  /**
   * Resolves a revision to the full hash of its commit.
   * @throws DomainError not found
   */
  async resolve(project: ProjectRef, revision: string): Promise<Oid> {
    const oid = await this.storage.snapshot(project).resolveCommit(revision);
    if (oid === null) throw notFound('commit');
    return oid;
  }

  /** Returns the full hashes of those commits that exist, by the beginnings of hashes that are asked for. */
  async resolveHashes(
    project: ProjectRef,
    hashes: readonly string[],
  ): Promise<ReadonlyMap<string, Oid>> {
    if (hashes.length === 0) return new Map();
    const repository = this.storage.snapshot(project);
    const found = await Promise.all(hashes.map((hash) => repository.resolveCommit(hash)));
    return new Map(
      hashes.flatMap((hash, index) => {
        const oid = found[index];
        // A branch may have the name of a hash.
        return oid?.startsWith(hash) === true ? [[hash, oid] as const] : [];
      }),
    );
  }

  /** @throws DomainError not found */
  async read(project: ProjectRef, sha: string): Promise<Commit> {
    const oid = await this.resolve(project, sha);
    const commit = await this.storage.snapshot(project).objects.commit(oid);
    if (commit === null) throw notFound('commit');
    return commit;
  }

  /**
   * Finds a commit with its status and the numbers of changed lines.
   * @throws DomainError not found
   */
  async find(
    project: ProjectRef,
    sha: string,
  ): Promise<CacheableAnswer<CommitWithStatus & { stats: ChangeCounts }>> {
    const oid = await this.resolve(project, sha);
    const status = await this.statuses.ofCommit(project, oid);
    return {
      key: ['commit', oid, status],
      make: async () => {
        const commit = await this.read(project, oid);
        const stats = await this.storage.snapshot(project).stats(oid);
        return { commit, status, stats };
      },
    };
  }

  /**
   * Lists the branches and tags that contain a commit, by name, branches first: the first 10,000 of them.
   * @throws DomainError not found
   */
  async listRefs(
    project: ProjectRef,
    revision: string,
    kinds: readonly RefKind[],
    request: PageRequest,
  ): Promise<Page<ContainingRef>> {
    const sha = await this.resolve(project, revision);
    const prefixes = kinds.map((kind) => REF_PREFIXES[kind]);
    const names = await this.storage.snapshot(project).refsWith(sha, prefixes, LISTED_REFS);
    return Page.of(names.map(containingRef), request);
  }

  /** Lists the authors of the default branch by e-mail address, the author of the newest commit first. */
  async listContributors(
    project: ProjectRef,
    request: PageRequest,
  ): Promise<CacheableAnswer<Page<Contributor>>> {
    const repository = this.storage.snapshot(project);
    const start = await repository.resolveCommit(HEAD);
    return {
      key: ['contributors', start, request.page, request.perPage],
      make: async () => {
        const contributors = start === null ? [] : await countContributors(repository, start);
        return Page.of(contributors, request);
      },
    };
  }
}

function containingRef(name: string): ContainingRef {
  const kind = name.startsWith(BRANCH_PREFIX) ? 'branch' : 'tag';
  return { kind, name: name.slice(REF_PREFIXES[kind].length) };
}

async function countContributors(repository: Repository, start: Oid): Promise<Contributor[]> {
  const byEmail = new Map<string, Contributor>();
  const oids = await repository.newestPlain(start, COUNTED_COMMITS);
  for (const { author } of await listCommits(repository, oids)) {
    const { name, email } = author;
    const contributor = byEmail.get(email);
    if (contributor === undefined) byEmail.set(email, { name, email, commits: 1 });
    else contributor.commits += 1;
  }
  return [...byEmail.values()];
}

/** Returns the commits and tags that branches and tags name; null without any. */
async function tipsOf({ refs }: Repository): Promise<Oid[] | null> {
  const lists = await Promise.all([refs.list(BRANCH_PREFIX), refs.list(TAG_PREFIX)]);
  const tips = new Set(lists.flat().map(({ target }) => target));
  return tips.size === 0 ? null : [...tips];
}

function emptyPage(request: PageRequest): CacheableAnswer<Page<ListedCommit>> {
  const { page, perPage } = request;
  return {
    key: ['no commits', page, perPage],
    make: () => Promise.resolve(Page.of<ListedCommit>([], request)),
  };
}

async function readPage(
  repository: Repository,
  { oids, total }: HistoryPage,
  { statuses, withStats }: { statuses: ReadonlyMap<string, CombinedState>; withStats: boolean },
  request: PageRequest,
): Promise<Page<ListedCommit>> {
  const commits = await listCommits(repository, oids);
  const shown = oids.slice(0, request.perPage);
  const stats = withStats ? await repository.statsOf(shown) : [];
  const described = commits.map((commit, index) => ({
    commit,
    status: statuses.get(commit.oid) ?? null,
    stats: stats[index],
  }));
  return Page.cut(described, total ?? COUNTED_ITEMS + 1, request);
}
