import {
  DateParam,
  IdParam,
  IntegerParam,
  PageQuery,
  StringParam,
} from '../../../platform/http/index.js';
import type { MemberChange, Membership } from '../members/member.rules.js';

const LEVEL = { required: true, description: '10, 20, 30 or 40; in groups also 50.' } as const;

/** `GET /projects/:id/members` and `GET /groups/:id/members`. */
export class ListMembersDto extends PageQuery {
  @StringParam({
    blank: 'absent',
    description: 'Part of a name or user name; for administrators also of an e-mail address.',
  })
  query?: string;
}

/** `POST /projects/:id/members` and `POST /groups/:id/members`. */
export class AddMemberDto {
  @IdParam({ required: true })
  user_id!: number;

  @IntegerParam(LEVEL)
  access_level!: number;

  @DateParam({ description: 'From 00:00 UTC of this day on the membership gives nothing.' })
  expires_at?: string | null;
}

export function toMembership(body: AddMemberDto): Membership {
  return {
    userId: body.user_id,
    accessLevel: body.access_level,
    expiresAt: body.expires_at ?? null,
  };
}

/** `PUT /projects/:id/members/:user_id` and `PUT /groups/:id/members/:user_id`. */
export class ChangeMemberDto {
  @IntegerParam(LEVEL)
  access_level!: number;

  @DateParam({ description: 'Absent, it stays as it is; null or `""` takes it away.' })
  expires_at?: string | null;
}

export function toMemberChange(body: ChangeMemberDto): MemberChange {
  return { accessLevel: body.access_level, expiresAt: body.expires_at };
}
