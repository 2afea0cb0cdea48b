import { DateParam, IntegerParam } from '../../../../platform/http/index.js';
import type { MemberChange } from '../member.js';

/** `PUT /projects/:id/members/:user_id` and `PUT /groups/:id/members/:user_id` (open points 3.5). */
export class ChangeMemberDto {
  @IntegerParam({ required: true, description: '10, 20, 30 or 40; in groups also 50.' })
  access_level!: number;

  @DateParam({ description: 'Absent, it stays as it is; null or `""` takes it away.' })
  expires_at?: string | null;
}

export function toMemberChange(body: ChangeMemberDto): MemberChange {
  return { accessLevel: body.access_level, expiresAt: body.expires_at };
}
