import { Injectable } from '@nestjs/common';
import type { DiffEntry, Repository } from '../../../git/index.js';
import { ProjectsRepository } from '../../projects/index.js';
import { ProjectStorage } from '../../storage/index.js';

/** What is read of the payload of a push that was queued without the files of its commits. All versions spell it alike. */
interface QueuedPush {
  readonly project_id: number;
  readonly commits: readonly { readonly id: string }[];
}

/** The paths that a commit changes. */
export interface ChangedFiles {
  added: string[];
  modified: string[];
  removed: string[];
}

const CHANGES = {
  added: 'added',
  // The old path of a renamed file is not listed: receivers expect an addition only.
  renamed: 'added',
  modified: 'modified',
  retyped: 'modified',
  deleted: 'removed',
} as const satisfies Record<DiffEntry['change'], keyof ChangedFiles>;

/**
 * Finds the files of pushed commits. The worker that delivers a payload adds them: they never change, and the push does not have to
 * wait for the diffs.
 */
@Injectable()
export class CommitFiles {
  constructor(
    private readonly storage: ProjectStorage,
    private readonly projects: ProjectsRepository,
  ) {}

  /** Adds the files of each commit to the payload of a push; none for commits that no longer exist. */
  async addTo(payload: object): Promise<object> {
    const { project_id: projectId, commits } = payload as QueuedPush;
    const files = await this.find(
      projectId,
      commits.map(({ id }) => id),
    );
    return {
      ...payload,
      commits: commits.map((commit, index) => ({ ...commit, ...files[index] })),
    };
  }

  private async find(projectId: number, shas: readonly string[]): Promise<ChangedFiles[]> {
    if (shas.length === 0) return [];
    const project = (await this.projects.findForPayloads([projectId])).get(projectId);
    const repository = project && this.storage.repository(project);
    const found: ChangedFiles[] = [];
    for (const sha of shas) {
      found.push(changedFiles(repository === undefined ? [] : await diffOf(repository, sha)));
    }
    return found;
  }
}

/** Groups paths by the kind of change, in the order of the diff. */
export function changedFiles(
  entries: readonly Pick<DiffEntry, 'change' | 'newPath' | 'oldPath'>[],
): ChangedFiles {
  const files: ChangedFiles = { added: [], modified: [], removed: [] };
  for (const { change, newPath, oldPath } of entries) {
    files[CHANGES[change]].push(change === 'deleted' ? oldPath : newPath);
  }
  return files;
}

async function diffOf(repository: Repository, id: string): Promise<readonly DiffEntry[]> {
  const commit = await repository.objects.commit(id);
  if (commit === null) return [];
  return (await repository.diff(commit.parents[0] ?? null, commit.oid)).entries;
}
