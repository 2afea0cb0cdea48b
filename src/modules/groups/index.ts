export { toGroupChanges } from './group.dto.js';
export { GroupCreated, GroupRemoved, NamespaceDeleted } from './group.events.js';
export { GroupPresenter } from './group.presenter.js';
export { GroupView } from './group.view.js';
export { GroupsModule } from './groups.module.js';
export { GroupsService } from './groups.service.js';
export { GroupMember } from './members/group-member.entity.js';
export {
  AddMemberDto,
  ChangeMemberDto,
  ListMembersDto,
  toMemberChange,
  toMembership,
} from './members/member.dto.js';
export { MemberPresenter } from './members/member.presenter.js';
export {
  changedTerms,
  checkLevel,
  isReduction,
  type Member,
  type MemberChange,
  type Membership,
  PROJECT_LEVELS,
} from './members/member.rules.js';
export { MemberView } from './members/member.view.js';
export { MembersRepository, userMatches } from './members/members.repository.js';
export { Namespace } from './namespaces/namespace.entity.js';
export { NamespacesRepository } from './namespaces/namespaces.repository.js';
