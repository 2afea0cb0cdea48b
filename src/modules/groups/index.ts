export { toGroupChanges } from './dto/group-changes.js';
export { GroupCreated, GroupRemoved } from './group.events.js';
export { GroupPresenter } from './group.presenter.js';
export { GroupView } from './group.view.js';
export { GroupsModule } from './groups.module.js';
export { GroupsService } from './groups.service.js';
export { AddMemberDto, toMembership } from './members/dto/add-member.dto.js';
export { ChangeMemberDto, toMemberChange } from './members/dto/change-member.dto.js';
export { ListMembersDto } from './members/dto/list-members.dto.js';
export { GroupMember } from './members/group-member.entity.js';
export {
  changedTerms,
  checkLevel,
  isReduction,
  type Member,
  type MemberChange,
  type Membership,
  PROJECT_LEVELS,
} from './members/member.js';
export { MemberPresenter } from './members/member.presenter.js';
export { MemberView } from './members/member.view.js';
export { MembersRepository, userMatches } from './members/members.repository.js';
export { Namespace } from './namespace.entity.js';
export { NamespaceDeleted } from './namespace.events.js';
export { NamespacesRepository } from './namespaces.repository.js';
