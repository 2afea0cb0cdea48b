import { Injectable } from '@nestjs/common';
import type { Commit, Oid } from '../../../git/index.js';
import type { ProjectRef } from '../../access/index.js';
import { ProjectStorage } from '../../projects/index.js';
import type { PushedBranch } from '../../repository/index.js';
import { UsersRepository } from '../../users/index.js';

const MOST_COMMITS = 100;

/** What a pushed commit says. */
export interface PushedMessage {
  readonly sha: string;
  readonly text: string;
  /** The account that the author's address belongs to; null for nobody's. */
  readonly authorId: number | null;
}

/** Reads what pushed commits say. */
@Injectable()
export class PushedMessages {
  constructor(
    private readonly storage: ProjectStorage,
    private readonly users: UsersRepository,
  ) {}

  /** Of some commits, in their order; those that are not there any more are missing. */
  async of(project: ProjectRef, oids: readonly Oid[]): Promise<PushedMessage[]> {
    const commits = await this.read(project, oids);
    const owners = await this.users.ownersOf(commits.map(({ author }) => author.email));
    return commits.map(({ oid, message, author }) => ({
      sha: oid,
      text: message,
      authorId: owners.get(author.email.toLowerCase()) ?? null,
    }));
  }

  /** The messages alone, which mostly are in memory since the push was recorded. */
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
      defaultBranch === null ? null : await repository.refs.get(`refs/heads/${defaultBranch}`);
    const range = { tip, base: before ?? trunk, limit: MOST_COMMITS };
    return (await repository.pushedCommits(range)).newest;
  }

  private async read(project: ProjectRef, oids: readonly Oid[]): Promise<Commit[]> {
    const commits = await this.storage.repository(project).objects.commits(oids);
    return commits.filter((commit) => commit !== null);
  }
}
