import { Level } from './levels.js';
import { type Ability, type Permission, PERMISSIONS } from './permissions.js';

/** What every room above needs to know of the group that a path names. */
export interface GroupRef {
  id: number;
  name: string;
  path: string;
  visibilityLevel: number;
}

/** A caller's standing on one group, resolved by one statement. */
export interface GroupAccess {
  group: GroupRef;
  /** Level of the membership, `VISITOR` without one; administrators count as owners. */
  level: number;
  /** Whether the group shows by its visibility, or because a project in it or shared with it does. */
  visible: boolean;
  /** Whether more than a project that is shared with the group shows it. */
  membersVisible: boolean;
}

/** Whether the group exists at all for the caller. */
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
