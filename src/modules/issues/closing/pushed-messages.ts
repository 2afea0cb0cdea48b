import { Injectable } from '@nestjs/common';
import { BRANCH_PREFIX, type Commit, type Oid } from '../../../git/index.js';
import { COMMITS_READ_FOR_REFERENCES } from '../../../platform/limits/index.js';
import type { ProjectRef } from '../../access/index.js';
import { ProjectStorage } from '../../projects/index.js';
import type { PushedBranch } from '../../repository/index.js';

/** A pushed commit with its message. */
export interface PushedMessage {
  readonly sha: string;
  readonly text: string;
}

/** Reads the messages of pushed commits. */
@Injectable()
export class PushedMessages {
  constructor(private readonly storage: ProjectStorage) {}

  /** Those of the given commits, in their order; commits that no longer exist are left out. */
  async of(project: ProjectRef, oids: readonly Oid[]): Promise<PushedMessage[]> {
    const commits = await this.read(project, oids);
    return commits.map(({ oid, message }) => ({ sha: oid, text: message }));
  }

  /** The texts alone, which mostly are in memory since the push was recorded. */
  async textsOf(project: ProjectRef, oids: readonly Oid[]): Promise<string[]> {
    return (await this.read(project, oids)).map(({ message }) => message);
  }

  /** The newest commits that a push brought to a branch; of a new branch what the default one lacks. */
  async newestOf(
    project: ProjectRef,
    { before, after: tip }: Pick<PushedBranch, 'before' | 'after'>,
  ): Promise<Oid[]> {
    const repository = this.storage.repository(project);
    const { defaultBranch } = project;
    const trunk =
      defaultBranch === null ? null : await repository.refs.get(`${BRANCH_PREFIX}${defaultBranch}`);
    const range = { tip, base: before ?? trunk, limit: COMMITS_READ_FOR_REFERENCES };
    return (await repository.pushedCommits(range)).newest;
  }

  private async read(project: ProjectRef, oids: readonly Oid[]): Promise<Commit[]> {
    const commits = await this.storage.repository(project).objects.commits(oids);
    return commits.filter((commit) => commit !== null);
  }
}
