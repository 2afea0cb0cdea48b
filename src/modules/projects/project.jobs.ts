import { defineJob, defineRecurringJob } from '../../platform/queue/index.js';

/** What a job needs to find a project's repository, even when the project's row is gone. */
export interface StoredProjectPayload {
  projectId: number;
  storage: string;
}

export interface ProjectPayload {
  projectId: number;
}

/** Lets a repository's HEAD stand for the project's default branch. */
export const pointHead = defineJob<ProjectPayload>('projects', 'point-head', {
  timeLimitMs: 5 * 60_000,
});

/** Removes what a deleted project leaves: its repository, then its rows. */
export const purgeProject = defineJob<StoredProjectPayload>('projects', 'purge-project', {
  timeLimitMs: 60 * 60_000,
});

/** Removes repositories that no project owns, once a day. */
export const sweepOrphanedRepositories = defineRecurringJob({
  queue: 'projects',
  name: 'sweep-orphaned-repositories',
  everyMs: 24 * 60 * 60 * 1000,
  timeLimitMs: 60 * 60_000,
});
