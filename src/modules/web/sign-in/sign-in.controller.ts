import { Body, Get, Post, Query, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { DomainError } from '../../../platform/errors/index.js';
import {
  clientAddress,
  disconnection,
  StringParam,
  TakesBody,
} from '../../../platform/http/index.js';
import { ANONYMOUS_BODY } from '../../../platform/limits/index.js';
import { Requires } from '../../authorization/index.js';
import { Audits } from '../../audit/index.js';
import {
  AuthenticationService,
  type SignInClient,
  type User,
  WebSessionsService,
} from '../../users/index.js';
import { PageSender } from '../html/page-sender.js';
import { PageController, Viewer } from './page.guard.js';
import { returnPath } from './return-path.js';
import { SessionCookies } from './session-cookies.js';
import { signInPage } from './sign-in-page.js';

class ReturnDto {
  @StringParam()
  return_to?: string;
}

/** The form: a user name and password, or a private token. */
class SignInDto extends ReturnDto {
  @StringParam()
  login?: string;

  @StringParam()
  password?: string;

  @StringParam({ blank: 'absent' })
  private_token?: string;
}

/** Signing in and out with a browser (docs/decisions/0055-pages.md). */
@PageController('-')
export class SignInController {
  constructor(
    private readonly authentication: AuthenticationService,
    private readonly sessions: WebSessionsService,
    private readonly cookies: SessionCookies,
    private readonly pages: PageSender,
  ) {}

  @Get('sign_in')
  @Requires('page:open')
  show(
    @Viewer() viewer: User | null,
    @Query() { return_to }: ReturnDto,
    @Res() response: Response,
  ): void {
    const returnTo = returnPath(return_to);
    if (viewer === null) this.pages.send(response, signInPage({ returnTo }));
    else this.pages.redirect(response, returnTo);
  }

  @Post('sign_in')
  @Requires('page:open')
  @Audits('session.created')
  @TakesBody(ANONYMOUS_BODY)
  async signIn(
    @Body() form: SignInDto,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const address = clientAddress(request);
    const client = { address, gone: disconnection(request) };
    const returnTo = returnPath(form.return_to);
    let token: string;
    try {
      token = await this.sessions.start(await this.authenticate(form, client), address);
    } catch (error) {
      const refusal = refusalOf(error);
      response.status(refusal.status).set(refusal.headers);
      const { notice } = refusal;
      this.pages.send(response, signInPage({ returnTo, notice, login: form.login }));
      return;
    }
    await this.endSession(request);
    this.cookies.setSession(response, token);
    this.pages.redirect(response, returnTo);
  }

  @Post('sign_out')
  @Requires('page:open')
  @TakesBody(ANONYMOUS_BODY)
  async signOut(@Req() request: Request, @Res() response: Response): Promise<void> {
    await this.endSession(request);
    this.cookies.clearSession(response);
    this.pages.redirect(response, '/');
  }

  private async authenticate(form: SignInDto, client: SignInClient): Promise<User> {
    const { login = '', password = '', private_token: token } = form;
    if (token !== undefined) return this.authentication.signInByToken(token.trim(), client);
    const { user } = await this.authentication.signIn(login, password, client);
    return user;
  }

  private async endSession(request: Request): Promise<void> {
    const token = this.cookies.session(request);
    if (token !== undefined) await this.sessions.end(token);
  }
}

interface Refusal {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly notice: string;
}

/** @throws what is no refusal of the credential */
function refusalOf(error: unknown): Refusal {
  if (!(error instanceof DomainError)) throw error;
  const { detail } = error;
  if (detail.code === 'unauthenticated') {
    return {
      status: 401,
      headers: {},
      notice: 'The credential is wrong, or the account is blocked.',
    };
  }
  if (detail.code !== 'too-many-requests') throw error;
  const seconds = String(detail.retryAfterSeconds);
  const notice = `There were too many attempts. Try again in ${seconds} seconds.`;
  return { status: 429, headers: { 'Retry-After': seconds }, notice };
}
