import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { type Commit, TAG_PREFIX } from '../../../git/index.js';
import type { PayloadProject } from '../../projects/index.js';
import type { CommentedCommit, CommitComment } from '../../repository/index.js';
import { ProjectStorage } from '../../storage/index.js';

/** Reads from git what the payloads of all versions show. Not for a unit of work. */
@Injectable()
export class PayloadCommits {
  constructor(private readonly storage: ProjectStorage) {}

  /** Reads a commit from the repository of a project; null when there is no such commit. */
  find(project: PayloadProject, sha: string): Promise<Commit | null> {
    return this.storage.repository(project).objects.commit(sha);
  }

  /** Finds what a comment is on; null when the commit no longer exists. */
  async findCommented(
    project: PayloadProject,
    { sha, path }: CommitComment,
  ): Promise<CommentedCommit | null> {
    const commit = await this.find(project, sha);
    if (commit === null || path === null) return commit && { commit, file: null };
    const { entries } = await this.storage.repository(project).diff(commit.parents[0] ?? null, sha);
    return { commit, file: entries.find(({ newPath }) => newPath === path) ?? null };
  }

  /** Whether a ref's name is that of a tag, which takes precedence over a branch of the same name. */
  async isTag(project: PayloadProject, ref: string): Promise<boolean> {
    return (await this.storage.repository(project).refs.get(TAG_PREFIX + ref)) !== null;
  }
}

/** The name that GitLab gives to a line of a diff. */
export const lineCode = (path: string, oldLine: number, newLine: number): string =>
  [createHash('sha1').update(path).digest('hex'), oldLine, newLine].join('_');
