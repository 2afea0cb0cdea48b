export {
  AccessEnded,
  type EndedMembership,
  MemberAdded,
  MembersRemoved,
  type MembershipSource,
} from './access.events.js';
export { AccessModule } from './access.module.js';
export type { Account } from './account.js';
export { type CallerOnProject, Callers } from './callers.js';
export {
  allowsOnGroup,
  canSeeGroup,
  type GroupAccess,
  type GroupRef,
} from './group-access/group-access.js';
export { GroupAccessRepository } from './group-access/group-access.repository.js';
export { AbilityGuard } from './guards/ability.guard.js';
export { DownloadGuard, DownloadSlots } from './guards/download.guard.js';
export { CallerGuard } from './guards/caller.guard.js';
export { Level, Visibility } from './levels.js';
export {
  Access,
  accessOf,
  AccessToGroup,
  ActsBySudo,
  Caller,
  InGroup,
  InProject,
  MaybeCaller,
} from './guards/parameters.js';
export { type Ability, isAdminOnly, isOpen, type Permission, PERMISSIONS } from './permissions.js';
export {
  type AccessInSql,
  allows,
  allowsInSql,
  canSee,
  type ProjectAccess,
  type ProjectRef,
  seesByVisibility,
  type Subject,
} from './project-access/project-access.js';
export { ProjectAccessRepository } from './project-access/project-access.repository.js';
export {
  PROJECT_ACCESS,
  type ProjectRow,
  toProjectAccess,
} from './project-access/project-access.sql.js';
export {
  ProjectReadersRepository,
  type ReaderAccess,
} from './project-access/project-readers.repository.js';
export { parseProjectIdentifier, type ProjectIdentifier } from './project-access/project-path.js';
export { abilityOf, Requires } from './guards/requires.js';
export {
  isLastOwner,
  livingUser,
  memberGroupIds,
  projectLevels,
  showsMembers,
  unexpired,
  visibleLevels,
} from './memberships.sql.js';
