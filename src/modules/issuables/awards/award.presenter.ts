import { Injectable } from '@nestjs/common';
import { UserPresenter } from '../../users/index.js';
import type { AwardView } from './award.view.js';
import type { AwardedEmoji } from './awards.service.js';

@Injectable()
export class AwardPresenter {
  constructor(private readonly users: UserPresenter) {}

  present({ award, user }: AwardedEmoji): AwardView {
    return {
      id: award.id,
      name: award.name,
      user: this.users.summary(user),
      created_at: award.createdAt,
      updated_at: award.updatedAt,
      awardable_id: award.awardableId,
      awardable_type: award.awardableType,
    };
  }
}
