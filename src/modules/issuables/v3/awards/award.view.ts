import type { Urls } from '../../../../platform/config/index.js';
import { summarizeUser, UserSummaryView } from '../../../users/v3/index.js';
import type { AwardedEmoji } from '../../awards/awards.service.js';

/** An emoji that a user awarded (docs/reference/award-emoji.md#the-award-object). */
export class AwardView {
  id!: number;
  /** Without colons. */
  name!: string;
  user!: UserSummaryView;
  created_at!: Date;
  updated_at!: Date;
  awardable_id!: number;
  /** `Issue`, `MergeRequest` or `Note`. */
  awardable_type!: string;
}

export const presentAward = ({ award, user }: AwardedEmoji, urls: Urls): AwardView => ({
  id: award.id,
  name: award.name,
  user: summarizeUser(user, urls),
  created_at: award.createdAt,
  updated_at: award.updatedAt,
  awardable_id: award.awardableId,
  awardable_type: award.awardableType,
});
