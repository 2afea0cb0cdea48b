import { Controller, Get } from '@nestjs/common';
import { Answers } from '../../platform/http/index.js';
import { ActsBySudo, Caller, Requires } from '../access/index.js';
import { SessionService } from './session.service.js';
import { UserDetailsRepository } from './user-details.repository.js';
import { User } from './user.entity.js';
import { UserPresenter } from './user.presenter.js';
import { CurrentUserView } from './user.view.js';

@Controller('user')
export class CurrentUserController {
  constructor(
    private readonly details: UserDetailsRepository,
    private readonly sessions: SessionService,
    private readonly presenter: UserPresenter,
  ) {}

  /** The caller's own account; with `sudo` its private token too. */
  @Get()
  @Requires('self:read')
  @Answers(CurrentUserView)
  async read(@Caller() caller: User, @ActsBySudo() bySudo: boolean): Promise<CurrentUserView> {
    const view = this.presenter.full(await this.details.describe(caller));
    return bySudo ? { ...view, private_token: this.sessions.privateToken(caller) } : view;
  }
}
