import { Injectable } from '@nestjs/common';
import type { Commit } from '../../../git/index.js';
import { ProjectObjects, ProjectStorage, type ToldProject } from '../../projects/index.js';
import { formatHookDate, storable } from '../../repository/index.js';

/** A commit may hold megabytes of text; what is told of it is kept and sent many times. */
export const MAX_MESSAGE = 10_000;
export const MAX_NAME = 255;

/** Tells of commits in the form that receivers know (open points 7.2). */
@Injectable()
export class CommitObjects {
  constructor(
    private readonly storage: ProjectStorage,
    private readonly projects: ProjectObjects,
  ) {}

  /** Null for what is no commit of the project. */
  find(project: ToldProject, sha: string): Promise<Commit | null> {
    return this.storage.repository(project).objects.commit(sha);
  }

  commit(project: ToldProject, { oid, message, author, committer }: Commit): object {
    return {
      id: oid,
      message: storable(message, MAX_MESSAGE),
      timestamp: formatHookDate(committer),
      url: this.projects.url(project, 'commit', oid),
      author: { name: storable(author.name, MAX_NAME), email: storable(author.email, MAX_NAME) },
    };
  }
}
