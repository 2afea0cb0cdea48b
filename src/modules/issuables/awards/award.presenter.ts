import type { Urls } from '../../../platform/urls/index.js';
import { summarizeUser } from '../../users/index.js';
import type { AwardView } from './award.view.js';
import type { AwardedEmoji } from './awards.service.js';

export const presentAward = ({ award, user }: AwardedEmoji, urls: Urls): AwardView => ({
  id: award.id,
  name: award.name,
  user: summarizeUser(user, urls),
  created_at: award.createdAt,
  updated_at: award.updatedAt,
  awardable_id: award.awardableId,
  awardable_type: award.awardableType,
});
