import { Body, Post, Req } from '@nestjs/common';
import type { Request } from 'express';
import { V3Controller } from '../../../faces/index.js';
import {
  Answers,
  AtLeastOneOf,
  clientAddress,
  disconnection,
  StringParam,
  TakesBody,
} from '../../../platform/http/index.js';
import { ANONYMOUS_BODY } from '../../../platform/limits/index.js';
import { Requires } from '../../authorization/index.js';
import { Audits } from '../../audit/index.js';
import { UserPresenter } from './user.presenter.js';
import { SessionView } from './user.view.js';
import { AuthenticationService } from '../authentication/authentication.service.js';

/** `POST /session`. */
@AtLeastOneOf('login', 'email')
class CreateSessionDto {
  @StringParam({ blank: 'absent', description: 'User name, or primary e-mail.' })
  login?: string;

  @StringParam({ blank: 'absent', description: 'Primary e-mail; wins over `login`.' })
  email?: string;

  @StringParam({ required: true })
  password!: string;
}

@V3Controller('session', 'Session')
export class SessionController {
  constructor(
    private readonly authentication: AuthenticationService,
    private readonly presenter: UserPresenter,
  ) {}

  /** Signs in by user name or e-mail and password; the answer carries the private token. */
  @Post()
  @Requires('session:create')
  @Audits('session.created')
  @TakesBody(ANONYMOUS_BODY)
  @Answers(SessionView)
  async create(@Body() body: CreateSessionDto, @Req() request: Request): Promise<SessionView> {
    const login = body.email ?? body.login ?? '';
    const client = { address: clientAddress(request), gone: disconnection(request) };
    const session = await this.authentication.signIn(login, body.password, client);
    return { ...this.presenter.full(session), private_token: session.privateToken };
  }
}
