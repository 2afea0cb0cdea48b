export { toGroupChanges, UpdateGroupDto } from './group.dto.js';
export { GroupCreated, GroupRemoved, NamespaceDeleted } from './group.events.js';
export { GroupView, presentGroup } from './group.view.js';
export { GroupsModule } from './groups.module.js';
export { GroupsService } from './groups.service.js';
export { GroupMember, Namespace } from './namespaces/namespace.entity.js';
export {
  AddMemberDto,
  ChangeMemberDto,
  ListMembersDto,
  toMemberChange,
  toMembership,
} from './members/member.dto.js';
export { AccessRevokedView, MemberView, presentMember } from './members/member.view.js';
export {
  changedTerms,
  checkLevel,
  isReduction,
  type Member,
  type MemberChange,
  type Membership,
  GROUP_LEVELS,
  PROJECT_LEVELS,
} from './members/member.rules.js';
export {
  memberAdded,
  memberRemoved,
  membersExpired,
  memberUpdated,
} from './members/member-records.js';
export { GroupMembersService } from './members/group-members.service.js';
export {
  GroupMembersRepository,
  MembersRepository,
  userMatches,
} from './members/members.repository.js';
export { NamespacesRepository } from './namespaces/namespaces.repository.js';
