export { GroupMember, ProjectMember, ProjectShare } from './membership.entities.js';
export { MembershipsModule } from './memberships.module.js';
export { ProjectMembersRepository } from './members/project-members.repository.js';
export { type MemberWithUser, GROUP_LEVELS, PROJECT_LEVELS } from './members/member.rules.js';
export { memberAdded } from './members/member-records.js';
export { GroupMembersService } from './members/group-members.service.js';
export { GroupMembersRepository } from './members/members.repository.js';
