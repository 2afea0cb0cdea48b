import { Injectable } from '@nestjs/common';
import { Config, Urls } from '../../../platform/config/index.js';
import type { User } from '../model/user.entity.js';
import type { UserWithDetails } from '../model/users.repository.js';
import type { SummarizedUser } from '../model/user-summary.js';
import { presentProfile, presentUser, summarizeUser } from './present-user.js';
import type { UserProfileView, UserSummaryView, UserView } from './user.view.js';

@Injectable()
export class UserPresenter {
  constructor(
    readonly urls: Urls,
    readonly config: Config,
  ) {}

  summary(user: SummarizedUser): UserSummaryView {
    return summarizeUser(user, this.urls);
  }

  /** The fields of a single user for everybody. */
  profile(user: User): UserProfileView {
    return presentProfile(user, this);
  }

  /** All fields, for administrators and the account itself. */
  full(user: UserWithDetails): UserView {
    return presentUser(user, this);
  }
}
