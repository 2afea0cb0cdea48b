import type { Account } from '../account.js';
import { Level, Visibility } from '../levels.js';
import { type Ability, type Permission, PERMISSIONS } from '../permissions.js';

/** The columns of a project that the rooms above need with its access. */
export interface ProjectRef {
  id: number;
  name: string;
  path: string;
  namespaceId: number;
  namespacePath: string;
  visibilityLevel: number;
  archived: boolean;
  storage: string;
  /** `ready`, or the process that is still filling the repository. */
  repositoryState: string;
  defaultBranch: string | null;
  issuesEnabled: boolean;
  mergeRequestsEnabled: boolean;
  /** Whether it has any commit statuses. Most projects have none and save the query. */
  hasStatuses: boolean;
}

/** The user whose access is resolved; null is anonymous. */
export type Subject = Pick<Account, 'id' | 'admin' | 'external'> | null;

/** The effective access of a caller to a project, resolved by one statement. */
export interface ProjectAccess {
  project: ProjectRef;
  /** Effective level by docs/reference/members.md#access-levels, `VISITOR` without any membership. */
  level: number;
  /** Whether the project's visibility alone lets the caller see it. */
  visible: boolean;
}

/** Whether visibility alone shows a project to a user. External users see internal ones as members only. */
export function seesByVisibility(subject: Subject, visibilityLevel: number): boolean {
  if (visibilityLevel === Visibility.PUBLIC) return true;
  return visibilityLevel === Visibility.INTERNAL && subject !== null && !subject.external;
}

/** Whether the caller sees the project; to others it does not exist. */
export function canSee(access: ProjectAccess): boolean {
  return access.visible || access.level > Level.VISITOR;
}

/** Names of columns or parameters that hold an effective access. */
export interface AccessInSql {
  /** The effective level: 0 without any membership. */
  readonly level: string;
  /** Whether the project's visibility alone lets the caller see it. */
  readonly visible: string;
}

/** Expresses `allows` in SQL, for an ability on a project. */
export function allowsInSql(ability: Ability, { level, visible }: AccessInSql): string {
  const permission: Permission = PERMISSIONS[ability];
  if (permission.scope !== 'project') return 'true';
  const isMember = `${level} >= ${String(permission.least)}`;
  return permission.visitor ? `(${visible} OR ${isMember})` : isMember;
}

/** Whether a caller who can see the project has an ability on it. */
export function allows(access: ProjectAccess, ability: Ability): boolean {
  const permission: Permission = PERMISSIONS[ability];
  if (permission.scope !== 'project') return true;
  return access.level >= permission.least || (permission.visitor && access.visible);
}
