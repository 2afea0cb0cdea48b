import { Injectable } from '@nestjs/common';
import type { DiffEntry, Repository } from '../../../git/index.js';
import { ProjectObjects, ProjectStorage } from '../../projects/index.js';
import type { PushedCommit } from '../../repository/index.js';

/** What a commit does to files, by path. */
export interface ChangedFiles {
  added: string[];
  modified: string[];
  removed: string[];
}

const CHANGES = {
  added: 'added',
  // What is left of a renamed file is not told (open points 7.2).
  renamed: 'added',
  modified: 'modified',
  retyped: 'modified',
  deleted: 'removed',
} as const satisfies Record<DiffEntry['change'], keyof ChangedFiles>;

/** Tells what commits do to files, as far as a diff tells of files at all. */
@Injectable()
export class CommitFiles {
  constructor(
    private readonly storage: ProjectStorage,
    private readonly projects: ProjectObjects,
  ) {}

  /** The commits with their files; without any where a commit is not there any more. */
  async describe(projectId: number, commits: readonly PushedCommit[]): Promise<object[]> {
    const project = commits.length === 0 ? null : await this.projects.find(projectId);
    const repository = project && this.storage.repository(project);
    const told: object[] = [];
    for (const commit of commits) {
      const entries = repository === null ? [] : await changesOf(repository, commit.id);
      told.push({ ...commit, ...changedFiles(entries) });
    }
    return told;
  }
}

async function changesOf(repository: Repository, id: string): Promise<readonly DiffEntry[]> {
  const commit = await repository.objects.commit(id);
  if (commit === null) return [];
  return (await repository.diff(commit.parents[0] ?? null, commit.oid)).entries;
}

/** In the order of the diff. */
export function changedFiles(
  entries: readonly Pick<DiffEntry, 'change' | 'newPath' | 'oldPath'>[],
): ChangedFiles {
  const files: ChangedFiles = { added: [], modified: [], removed: [] };
  for (const { change, newPath, oldPath } of entries) {
    files[CHANGES[change]].push(change === 'deleted' ? oldPath : newPath);
  }
  return files;
}
