import { Injectable } from '@nestjs/common';
import type { Readable } from 'node:stream';
import type { DiffEntry, Oid, PatchForm, Repository } from '../../../git/index.js';
import { DomainError, notFound } from '../../../platform/errors/index.js';
import { ANSWER_BYTES } from '../../../platform/limits/index.js';
import { Page, type PageRequest } from '../../../platform/pagination/index.js';
import type { ProjectRef } from '../../authorization/index.js';
import { ProjectStorage } from '../../storage/index.js';
import { CommitsService } from './commits.service.js';
import { CombinedStatuses, type CommitWithStatus } from './statuses/combined-statuses.js';
import type { CacheableAnswer } from '../shared/answer-cache.js';
import { listCommits } from '../shared/commit-text.js';

/** The most commits of a comparison, the newest. */
const MAX_COMMITS = 5_000;

export interface Comparison {
  /** The oldest first. */
  commits: CommitWithStatus[];
  diffs: DiffEntry[];
  /** Whether commits or files are left out. */
  isCut: boolean;
  isSame: boolean;
}

const SAME: CacheableAnswer<Comparison> = {
  key: ['comparison with itself'],
  make: () => Promise.resolve({ commits: [], diffs: [], isCut: false, isSame: true }),
};

/** Diffs of commits, and comparisons of two revisions. */
@Injectable()
export class DiffsService {
  constructor(
    private readonly storage: ProjectStorage,
    private readonly commits: CommitsService,
    private readonly statuses: CombinedStatuses,
  ) {}

  /**
   * Lists the changes of a commit against its first parent, file by file. The total of a truncated list is
   * unknown.
   * @throws DomainError not found
   */
  async listOfCommit(
    project: ProjectRef,
    sha: string,
    request: PageRequest,
  ): Promise<CacheableAnswer<Page<DiffEntry>>> {
    const oid = await this.commits.resolve(project, sha);
    return {
      key: ['diff', oid, request.page, request.perPage],
      weigh: () => ANSWER_BYTES.difference,
      make: async () => {
        const { parents } = await this.commits.read(project, oid);
        const repository = this.storage.snapshot(project);
        const { entries, isCut } = await repository.diff(parents[0] ?? null, oid);
        return Page.of(entries, request, { isCut });
      },
    };
  }

  /**
   * Opens the changes of a commit against its first parent as a text, which the caller has to read or destroy.
   * @throws DomainError not found
   */
  async openPatchOfCommit(project: ProjectRef, sha: string, form: PatchForm): Promise<Readable> {
    const { oid, parents } = await this.commits.read(project, sha);
    const from = parents[0] ?? null;
    return this.storage.snapshot(project).patch({ from, to: oid, form });
  }

  /**
   * Returns the best common ancestor of two revisions.
   * @throws DomainError revision missing; not found, where they have none
   */
  async findMergeBase(project: ProjectRef, first: string, second: string): Promise<Oid> {
    const repository = this.storage.snapshot(project);
    const [ours, theirs] = await Promise.all([
      resolveCommit(repository, first),
      resolveCommit(repository, second),
    ]);
    const base = await repository.mergeBase(ours, theirs);
    if (base === null) throw notFound('commit');
    return base;
  }

  /**
   * Returns what `to` has gained since its merge base with `from`; all of it when there is none.
   * @throws DomainError absent
   */
  async compare(
    project: ProjectRef,
    from: string,
    to: string,
  ): Promise<CacheableAnswer<Comparison>> {
    const repository = this.storage.snapshot(project);
    const [start, end] = await Promise.all([
      resolveCommit(repository, from),
      resolveCommit(repository, to),
    ]);
    if (start === end) return SAME;
    const limit = MAX_COMMITS + 1;
    const history = await repository.history({ start: end, exclude: start, skip: 0, limit });
    const oids = history.oids.slice(0, MAX_COMMITS).reverse();
    const statuses = await this.statuses.ofCommits(project, oids);
    return {
      key: ['comparison', start, end, [...statuses]],
      weigh: () => ANSWER_BYTES.difference,
      make: async () => {
        const [base, commits] = await Promise.all([
          repository.mergeBase(start, end),
          listCommits(repository, oids),
        ]);
        const { entries, isCut } = await repository.diff(base, end);
        return {
          commits: commits.map((commit) => ({ commit, status: statuses.get(commit.oid) ?? null })),
          diffs: entries,
          isCut: isCut || history.oids.length > MAX_COMMITS,
          isSame: false,
        };
      },
    };
  }
}

/** @throws DomainError revision missing */
async function resolveCommit(repository: Repository, rev: string): Promise<Oid> {
  const oid = await repository.resolveCommit(rev);
  if (oid === null) throw new DomainError({ code: 'revision-missing' });
  return oid;
}
