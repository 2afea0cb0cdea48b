import { Injectable } from '@nestjs/common';
import { UserPresenter } from '../../users/index.js';
import type { Member } from './member.rules.js';
import type { MemberView } from './member.view.js';

@Injectable()
export class MemberPresenter {
  constructor(private readonly users: UserPresenter) {}

  present({ user, accessLevel, expiresAt }: Member): MemberView {
    return { ...this.users.summary(user), access_level: accessLevel, expires_at: expiresAt };
  }
}
