export {
  AccessEnded,
  type EndedMembership,
  MemberAdded,
  MembersRemoved,
  type MembershipSource,
  SudoUsed,
} from './access.events.js';
export { AuthorizationModule } from './authorization.module.js';
export { type CallerOnProject, Callers } from './callers.js';
export {
  accessFor,
  type AccessInSql,
  type Account,
  allows,
  allowsInSql,
  allowsOnGroup,
  canSee,
  canSeeGroup,
  type EventProject,
  type GroupAccess,
  type GroupRef,
  type ListReader,
  parseProjectIdentifier,
  type ProjectAccess,
  type ProjectIdentifier,
  type ProjectRef,
  type Subject,
} from './effective-access.js';
export { GroupAccessRepository } from './model/group-access.repository.js';
export { AbilityGuard, abilityOf, Requires } from './guards/ability.guard.js';
export { CallerGuard, ReadsCallerDetails } from './guards/caller.guard.js';
export { DownloadGuard, DownloadSlots } from './guards/download.guard.js';
export { WideLists } from './wide-lists.js';
export {
  Access,
  accessOf,
  AccessToGroup,
  ActsBySudo,
  Caller,
  Client,
  contextOf,
  InGroup,
  InProject,
  MaybeCaller,
} from './guards/request-context.js';
export {
  isLastOwner,
  existingProject,
  levelById,
  levelOnProject,
  livingUser,
  memberGroupIds,
  namespaceByPath,
  projectByPath,
  projectLevels,
  projectsIn,
  showsGroup,
  showsMembers,
  unexpired,
  VISIBILITY_LEVEL,
  visibilityOf,
  visibilityTransformer,
  visibleLevels,
} from './model/memberships.sql.js';
export {
  type Ability,
  isMoreVisible,
  isOpen,
  leastVisible,
  Level,
  type Permission,
  PERMISSIONS,
  VISIBILITIES,
  type Visibility,
} from './permissions.js';
export {
  PROJECT_ACCESS,
  ProjectAccessRepository,
  type ProjectRow,
  toProjectAccess,
} from './model/project-access.repository.js';
