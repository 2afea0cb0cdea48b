import { Injectable } from '@nestjs/common';
import type { DiffEntry, Oid, Repository } from '../../../git/index.js';
import { absent } from '../../../platform/errors/index.js';
import type { ProjectRef } from '../../access/index.js';
import { ProjectStorage } from '../../projects/index.js';
import { CombinedStatuses, type CommitWithStatus } from '../statuses/combined-statuses.js';
import { listCommits } from '../listed-commits.js';

/** Of longer comparisons the newest commits are told. */
const MAX_COMMITS = 5_000;

export interface Comparison {
  /** The oldest first. */
  commits: CommitWithStatus[];
  diffs: DiffEntry[];
  /** Whether commits or files are left out. */
  isCut: boolean;
  isSame: boolean;
}

@Injectable()
export class CompareService {
  constructor(
    private readonly storage: ProjectStorage,
    private readonly statuses: CombinedStatuses,
  ) {}

  /**
   * What `to` has had since it and `from` parted. Of two that have nothing in common it is all of it.
   * @throws DomainError absent
   */
  async compare(project: ProjectRef, from: string, to: string): Promise<Comparison> {
    const repository = this.storage.repository(project);
    const [start, end] = await Promise.all([commitOf(repository, from), commitOf(repository, to)]);
    if (start === end) return { commits: [], diffs: [], isCut: false, isSame: true };
    const [history, base] = await Promise.all([
      repository.history({ start: end, exclude: start, skip: 0, limit: MAX_COMMITS + 1 }),
      repository.mergeBase(start, end),
    ]);
    const oids = history.oids.slice(0, MAX_COMMITS).reverse();
    const commits = await listCommits(repository, oids);
    const { entries, isCut } = await repository.diff(base, end);
    return {
      commits: await this.statuses.describe(project, commits),
      diffs: entries,
      isCut: isCut || history.oids.length > MAX_COMMITS,
      isSame: false,
    };
  }
}

async function commitOf(repository: Repository, rev: string): Promise<Oid> {
  const oid = await repository.resolveCommit(rev);
  if (oid === null) throw absent('404 Not Found');
  return oid;
}
