import {
  DateParam,
  EnumParam,
  IdParam,
  PageQuery,
  StringParam,
} from '../../../platform/http/index.js';
import type { MemberChange, Membership } from '../members/member.rules.js';

const PROJECT_LEVELS = [10, 20, 30, 40];
const GROUP_LEVELS = [...PROJECT_LEVELS, 50];

/** The lists of members. */
export class V4ListMembersDto extends PageQuery {
  @StringParam({
    blank: 'absent',
    description: 'Part of a name or user name; for administrators also of an e-mail address.',
  })
  query?: string;
}

class V4NewMemberDto {
  @IdParam({ required: true })
  user_id!: number;

  @DateParam({ description: 'From 00:00 UTC of this day on the membership gives nothing.' })
  expires_at?: string | null;
}

/** `POST /projects/:id/members`. */
export class V4AddProjectMemberDto extends V4NewMemberDto {
  @EnumParam(PROJECT_LEVELS, { required: true })
  access_level!: number;
}

/** `POST /groups/:id/members`. */
export class V4AddGroupMemberDto extends V4NewMemberDto {
  @EnumParam(GROUP_LEVELS, { required: true })
  access_level!: number;
}

export const toV4Membership = (body: V4AddProjectMemberDto | V4AddGroupMemberDto): Membership => ({
  userId: body.user_id,
  accessLevel: body.access_level,
  expiresAt: body.expires_at ?? null,
});

class V4MemberEndDto {
  @DateParam({ description: 'Absent, it stays as it is; null or `""` takes it away.' })
  expires_at?: string | null;
}

/** `PUT /projects/:id/members/:user_id`. */
export class V4ChangeProjectMemberDto extends V4MemberEndDto {
  @EnumParam(PROJECT_LEVELS, { required: true })
  access_level!: number;
}

/** `PUT /groups/:id/members/:user_id`. */
export class V4ChangeGroupMemberDto extends V4MemberEndDto {
  @EnumParam(GROUP_LEVELS, { required: true })
  access_level!: number;
}

export const toV4MemberChange = (
  body: V4ChangeProjectMemberDto | V4ChangeGroupMemberDto,
): MemberChange => ({ accessLevel: body.access_level, expiresAt: body.expires_at });
