import type { ProjectRef } from '../access/index.js';
import type { IssuableType } from './issuable.js';

/** Whether a project has issues, or merge requests, at all (docs/reference/projects.md#switches). */
export function hasTracker(project: ProjectRef, type: IssuableType): boolean {
  return type === 'Issue' ? project.issuesEnabled : project.mergeRequestsEnabled;
}
