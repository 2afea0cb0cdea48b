import { Body, Controller, Post, Req } from '@nestjs/common';
import type { Request } from 'express';
import { Answers, clientAddress, TakesBody } from '../../../platform/http/index.js';
import { ANONYMOUS_BODY } from '../../../platform/limits/index.js';
import { Requires } from '../../access/index.js';
import { UserPresenter } from '../presentation/user.presenter.js';
import { SessionView } from '../presentation/user.view.js';
import { CreateSessionDto } from './session.dto.js';
import { SessionService } from './session.service.js';

@Controller('session')
export class SessionController {
  constructor(
    private readonly sessions: SessionService,
    private readonly presenter: UserPresenter,
  ) {}

  /** Signs in by user name or e-mail and password; the answer carries the private token. */
  @Post()
  @Requires('session:create')
  @TakesBody(ANONYMOUS_BODY)
  @Answers(SessionView)
  async create(@Body() body: CreateSessionDto, @Req() request: Request): Promise<SessionView> {
    const login = body.email ?? body.login ?? '';
    const address = clientAddress(request);
    const session = await this.sessions.create(login, body.password, address);
    return { ...this.presenter.full(session), private_token: session.privateToken };
  }
}
