import { DateParam, IdParam, IntegerParam } from '../../../../platform/http/index.js';
import type { Membership } from '../member.js';

/** `POST /projects/:id/members` and `POST /groups/:id/members` (open points 3.5). */
export class AddMemberDto {
  @IdParam({ required: true })
  user_id!: number;

  @IntegerParam({ required: true, description: '10, 20, 30 or 40; in groups also 50.' })
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
