import { Injectable, Logger } from '@nestjs/common';
import { ObjectMissingError, type PushedRange, type Repository } from '../../../git/index.js';
import { COMMITS_READ_FOR_REFERENCES } from '../../../platform/limits/index.js';
import type { ProjectRef } from '../../access/index.js';
import { ProjectStorage } from '../../projects/index.js';
import type { PushedBranch } from '../../repository/index.js';

/** What a pushed commit says. */
export interface PushedMessage {
  readonly sha: string;
  readonly text: string;
}

/** Reads what a push brought to a branch. */
@Injectable()
export class PushedMessages {
  private readonly logger = new Logger(PushedMessages.name);

  constructor(private readonly storage: ProjectStorage) {}

  /** The newest commits, the oldest of them first; of a new branch what the default one lacks. */
  async of(project: ProjectRef, branch: PushedBranch): Promise<PushedMessage[]> {
    const repository = this.storage.repository(project);
    const base = branch.before ?? (await defaultHead(repository, project));
    const { after: tip } = branch;
    const commits = await this.newest(repository, {
      tip,
      base,
      limit: COMMITS_READ_FOR_REFERENCES,
    });
    return commits.reverse().map(({ oid, message }) => ({ sha: oid, text: message }));
  }

  /** The messages alone, which mostly are in memory since the push was recorded. */
  async textsOf(project: ProjectRef, { before, after }: PushedBranch): Promise<string[]> {
    const repository = this.storage.repository(project);
    const range = { tip: after, base: before, limit: COMMITS_READ_FOR_REFERENCES };
    return (await this.newest(repository, range)).map(({ message }) => message);
  }

  private async newest(repository: Repository, range: PushedRange) {
    try {
      return (await repository.pushedCommits(range)).newest;
    } catch (error) {
      if (!(error instanceof ObjectMissingError)) throw error;
      this.logger.warn('What was pushed is not there any more', error);
      return [];
    }
  }
}

async function defaultHead(
  repository: Repository,
  { defaultBranch }: ProjectRef,
): Promise<string | null> {
  return defaultBranch === null ? null : repository.refs.get(`refs/heads/${defaultBranch}`);
}
