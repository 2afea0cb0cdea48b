import type { Account } from './callers.js';
import { Level, Visibility } from './levels.js';
import { type Ability, type Permission, PERMISSIONS } from './permissions.js';

/** What every room above needs to know of the project that a path names. */
export interface ProjectRef {
  id: number;
  name: string;
  path: string;
  namespaceId: number;
  namespacePath: string;
  visibilityLevel: number;
  archived: boolean;
  storage: string;
  /** `ready`, or what its repository is still being filled by. */
  repositoryState: string;
  defaultBranch: string | null;
  issuesEnabled: boolean;
  mergeRequestsEnabled: boolean;
  /** Whether it has commit statuses at all; most have none, and need not be asked for them. */
  hasStatuses: boolean;
}

/** Whoever asks for access: null is anonymous. */
export type Subject = Pick<Account, 'id' | 'admin' | 'external'> | null;

/** A caller's standing on one project, resolved by one statement. */
export interface ProjectAccess {
  project: ProjectRef;
  /** Effective level by open points 2.1, `VISITOR` without any membership. */
  level: number;
  /** Whether the project's visibility alone lets the caller see it. */
  visible: boolean;
}

/** Whether visibility alone shows a project to somebody (open points 2.2). */
export function seesByVisibility(subject: Subject, visibilityLevel: number): boolean {
  if (visibilityLevel === Visibility.PUBLIC) return true;
  return visibilityLevel === Visibility.INTERNAL && subject !== null && !subject.external;
}

/** Whether the project exists at all for the caller. */
export function canSee(access: ProjectAccess): boolean {
  return access.visible || access.level > Level.VISITOR;
}

/** Whether a caller who can see the project has an ability on it. */
export function allows(access: ProjectAccess, ability: Ability): boolean {
  const permission: Permission = PERMISSIONS[ability];
  if (permission.scope !== 'project') return true;
  return access.level >= permission.least || (permission.visitor && access.visible);
}
