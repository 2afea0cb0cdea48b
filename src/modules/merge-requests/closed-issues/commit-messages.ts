import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/index.js';
import { COMMITS_READ_FOR_REFERENCES } from '../../../platform/limits/index.js';
import { ProjectStorage, type StoredProject } from '../../projects/index.js';
import type { LocatedMergeRequest } from '../merge-requests.repository.js';
import { MergeRequestVersion } from '../versions/merge-request-version.entity.js';

/** Reads what the commits of merge requests say. */
@Injectable()
export class CommitMessages {
  constructor(
    private readonly database: Database,
    private readonly storage: ProjectStorage,
  ) {}

  /** The messages of the newest version, the newest commit first. @param project the target project */
  async of(
    { latestVersionId: id }: Pick<LocatedMergeRequest, 'latestVersionId'>,
    project: StoredProject,
  ): Promise<string[]> {
    if (id === null) return [];
    const version = await this.database.of(MergeRequestVersion).findOneByOrFail({ id });
    const repository = this.storage.repository(project);
    const { newest } = await repository.pushedCommits({
      tip: version.headCommitSha,
      base: version.startCommitSha,
      limit: COMMITS_READ_FOR_REFERENCES,
    });
    const commits = await repository.objects.commits(newest);
    return commits.flatMap((commit) => (commit === null ? [] : [commit.message]));
  }
}
