export {
  AddMemberDto,
  ChangeMemberDto,
  ListMembersDto,
  toMemberChange,
  toMembership,
} from './member.dto.js';
export { AccessRevokedView, MemberView, presentMember } from './member.view.js';
