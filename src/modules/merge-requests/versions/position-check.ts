import { Injectable } from '@nestjs/common';
import {
  BRANCH_PREFIX,
  ObjectMissingError,
  type Oid,
  type Repository,
} from '../../../git/index.js';
import type { ProjectRef } from '../../authorization/index.js';
import type { DiffPosition } from '../../issuables/index.js';
import { positionRefused, ShownFiles } from '../../repository/index.js';
import { ProjectStorage } from '../../storage/index.js';
import { MergeRequestsRepository } from '../model/merge-requests.repository.js';
import { VersionsRepository } from './versions.repository.js';

/** A position as a client names it. */
export interface PositionInput extends Omit<DiffPosition, 'oldPath' | 'newPath'> {
  readonly oldPath: string | undefined;
  readonly newPath: string | undefined;
}

const FULL_HASH = /^[0-9a-f]{40}$/;

/** Checks positions of new notes on merge requests (docs/reference/v4-discussions.md#positions). */
@Injectable()
export class PositionCheck {
  constructor(
    private readonly mergeRequests: MergeRequestsRepository,
    private readonly versions: VersionsRepository,
    private readonly storage: ProjectStorage,
  ) {}

  /**
   * Checks that the difference between two commits of a merge request shows the line, or has the file.
   * @returns the position with both names of the file
   * @throws DomainError position refused
   * @throws GitError
   */
  async check(
    project: ProjectRef,
    mergeRequestId: number,
    { oldPath, newPath, ...input }: PositionInput,
  ): Promise<DiffPosition> {
    const [before, after] = [oldPath ?? newPath, newPath ?? oldPath];
    if (before === undefined || after === undefined) throw positionRefused();
    const position: DiffPosition = { ...input, oldPath: before, newPath: after };
    const repository = this.storage.repository(project);
    await this.checkCommits(repository, mergeRequestId, position);
    const { baseSha, headSha } = position;
    const shown = new ShownFiles(await differenceOf(repository, baseSha, headSha));
    const file = shown.find(position);
    if (file === undefined) throw positionRefused();
    if (position.type === 'text' && !shown.showsLine(file, position)) throw positionRefused();
    return { ...position, oldPath: file.oldPath, newPath: file.newPath };
  }

  /** Whether the repository of a project has a commit. @param sha a whole hash, or anything else */
  async hasCommit(project: ProjectRef, sha: string): Promise<boolean> {
    if (!FULL_HASH.test(sha)) return false;
    return (await this.storage.repository(project).commitOf(sha)) !== null;
  }

  /** Checks that the head is that of a version, and that the other two are of versions or of the target branch. */
  private async checkCommits(
    repository: Repository,
    mergeRequestId: number,
    { baseSha, startSha, headSha }: DiffPosition,
  ): Promise<void> {
    if (![baseSha, startSha, headSha].every((sha) => FULL_HASH.test(sha))) throw positionRefused();
    const others = [...new Set([baseSha, startSha])];
    const known = await this.versions.findCommits(mergeRequestId, headSha, others);
    if (!known.hasHead) throw positionRefused();
    const unknown = others.filter((sha) => !known.starts.includes(sha));
    if (unknown.length === 0) return;
    const [request] = await this.mergeRequests.findHeads([mergeRequestId]);
    const target = request && (await repository.refs.get(BRANCH_PREFIX + request.targetBranch));
    if (!target) throw positionRefused();
    for (const sha of unknown) {
      const commit = await repository.commitOf(sha);
      if (!commit || !(await repository.isAncestor(sha, target))) throw positionRefused();
    }
  }
}

async function differenceOf(repository: Repository, base: Oid, head: Oid) {
  try {
    return await repository.diff(base, head);
  } catch (error) {
    throw error instanceof ObjectMissingError ? positionRefused() : error;
  }
}
