import type { AwardedEmoji } from '../../awards/awards.service.js';
import { type V4UserPresenter, V4UserBasicView } from '../../../users/v4/index.js';

/** An emoji that a user awarded. */
export class V4AwardView {
  id!: number;
  /** Without colons. */
  name!: string;
  user!: V4UserBasicView;
  created_at!: Date;
  updated_at!: Date;
  awardable_id!: number;
  /** `Issue`, `MergeRequest` or `Note`. */
  awardable_type!: string;
  /** Always null: there are no images of one's own. */
  url!: string | null;
}

export const presentV4Award = (
  { award, user }: AwardedEmoji,
  users: V4UserPresenter,
): V4AwardView => ({
  id: award.id,
  name: award.name,
  user: users.basic(user),
  created_at: award.createdAt,
  updated_at: award.updatedAt,
  awardable_id: award.awardableId,
  awardable_type: award.awardableType,
  url: null,
});
