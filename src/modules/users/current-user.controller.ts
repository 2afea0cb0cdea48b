import { Controller, Get } from '@nestjs/common';
import { Answers } from '../../platform/http/index.js';
import { ActsBySudo, Caller, Requires } from '../access/index.js';
import { SessionService } from './session.service.js';
import { User } from './user.entity.js';
import { UserPresenter } from './user.presenter.js';
import { CurrentUserView } from './user.view.js';
import { UsersRepository } from './users.repository.js';

@Controller('user')
export class CurrentUserController {
  constructor(
    private readonly users: UsersRepository,
    private readonly sessions: SessionService,
    private readonly presenter: UserPresenter,
  ) {}

  /** The caller's own account; with `sudo` its private token too. */
  @Get()
  @Requires('self:read')
  @Answers(CurrentUserView)
  async read(@Caller() caller: User, @ActsBySudo() bySudo: boolean): Promise<CurrentUserView> {
    const view = this.presenter.full(caller, await this.users.countPersonalProjects(caller.id));
    return bySudo ? { ...view, private_token: this.sessions.privateToken(caller) } : view;
  }
}
