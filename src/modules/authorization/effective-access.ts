import { MAX_ID } from '../../platform/database/index.js';
import type { SlotCaller } from '../../platform/limits/index.js';
import {
  type Ability,
  Level,
  type Permission,
  PERMISSIONS,
  type Visibility,
} from './permissions.js';

/** The fields of an account that this room needs; the room `users` passes its entities. */
export interface Account {
  id: number;
  username: string;
  state: string;
  admin: boolean;
  external: boolean;
}

/** The user whose access is resolved; null is anonymous. */
export type Subject = Pick<Account, 'id' | 'admin' | 'external'> | null;

/** Who reads a list over several projects, and the client that waits for it. */
export interface ListReader {
  readonly reader: Subject;
  readonly client: SlotCaller;
}

/** How a path names a project: by ID, or by namespace and path. */
export type ProjectIdentifier = { id: number } | { namespace: string; path: string };

/**
 * Parses the decoded `:id` of a path.
 * @returns null when it cannot name a project
 */
export function parseProjectIdentifier(text: string): ProjectIdentifier | null {
  if (/^\d+$/.test(text)) {
    const id = Number(text);
    return id <= MAX_ID ? { id } : null;
  }
  const [namespace, path, ...rest] = text.split('/');
  if (!namespace || !path || rest.length > 0) return null;
  return { namespace, path };
}

/** The columns of a project that the rooms above need with its access. */
export interface ProjectRef {
  id: number;
  name: string;
  path: string;
  namespaceId: number;
  namespacePath: string;
  visibility: Visibility;
  archived: boolean;
  storage: string;
  /** `ready`, or the process that is still filling the repository. */
  repositoryState: string;
  /** Rises with each recorded push. */
  refsVersion: number;
  defaultBranch: string | null;
  issuesEnabled: boolean;
  mergeRequestsEnabled: boolean;
  /** Whether it has any commit statuses. Most projects have none and save the query. */
  hasStatuses: boolean;
  /** Whether it has any hooks, for those who write in it. */
  hasHooks: boolean;
  /** The client that it was found for, which takes the slots of what git does for it; absent where no client waits. */
  client?: SlotCaller | undefined;
}

/** The project of a domain event: as the request that caused the event has found it, or its ID alone. */
export type EventProject = Pick<ProjectRef, 'id'> & Partial<ProjectRef>;

/** The effective access of a caller to a project, resolved by one statement. */
export interface ProjectAccess {
  project: ProjectRef;
  /** Effective level by docs/reference/members.md#access-levels, `VISITOR` without any membership. */
  level: number;
  /** Whether the project's visibility alone lets the caller see it. */
  visible: boolean;
}

/** Returns the access with the client that it was found for. */
export function accessFor(client: SlotCaller, access: ProjectAccess): ProjectAccess {
  return { ...access, project: { ...access.project, client } };
}

/** Whether visibility alone shows a project to a user. External users see internal ones as members only. */
export function seesByVisibility(subject: Subject, visibility: Visibility): boolean {
  if (visibility === 'public') return true;
  return visibility === 'internal' && subject !== null && !subject.external;
}

/** Whether the caller sees the project; to others it does not exist. */
export function canSee(access: ProjectAccess): boolean {
  return access.visible || access.level > Level.VISITOR;
}

/** Whether a caller who can see the project has an ability on it. */
export function allows(access: ProjectAccess, ability: Ability): boolean {
  const permission: Permission = PERMISSIONS[ability];
  if (permission.scope !== 'project') return true;
  return access.level >= permission.least || (permission.visitor && access.visible);
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

/** The columns of a group that the rooms above need with its access. */
export interface GroupRef {
  id: number;
  name: string;
  path: string;
  visibility: Visibility;
}

/** The effective access of a caller to a group, resolved by one statement. */
export interface GroupAccess {
  group: GroupRef;
  /** Level of the membership, `VISITOR` without one; administrators count as owners. */
  level: number;
  /**
   * Whether the group is visible by its own visibility or by that of a project in it or shared with it; to anonymous
   * readers not by what is shared with it.
   */
  visible: boolean;
  /** Whether it is visible by more than projects that are shared with it. */
  membersVisible: boolean;
}

/** Whether the caller sees the group; to others it does not exist. */
export function canSeeGroup(access: GroupAccess): boolean {
  return access.visible || access.level > Level.VISITOR;
}

/** Whether a caller who can see the group has an ability on it. */
export function allowsOnGroup(access: GroupAccess, ability: Ability): boolean {
  const permission: Permission = PERMISSIONS[ability];
  if (permission.scope !== 'group') return true;
  const shows = permission.sharing ? access.visible : access.membersVisible;
  return access.level >= permission.least || (permission.visitor && shows);
}
