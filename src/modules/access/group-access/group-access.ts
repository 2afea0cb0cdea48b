import { Level } from '../levels.js';
import { type Ability, type Permission, PERMISSIONS } from '../permissions.js';

/** The columns of a group that the rooms above need with its access. */
export interface GroupRef {
  id: number;
  name: string;
  path: string;
  visibilityLevel: number;
}

/** The effective access of a caller to a group, resolved by one statement. */
export interface GroupAccess {
  group: GroupRef;
  /** Level of the membership, `VISITOR` without one; administrators count as owners. */
  level: number;
  /** Whether the group is visible by its own visibility or by that of a project in it or shared with it. */
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
