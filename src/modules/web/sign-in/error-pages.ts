import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { ErrorAnswer } from '../../../platform/http/index.js';
import { errorPage } from '../html/error-page.js';
import { pageContextOf } from '../html/page-context.js';
import { PageSender } from '../html/page-sender.js';
import { PageReaders } from './page-readers.js';
import { returnPath } from './return-path.js';
import { SessionCookies } from './session-cookies.js';
import { type SignInForm, signInPage } from './sign-in-page.js';

/** What signing in may change. */
const REFUSALS = [401, 403, 404];

/** Pages of failures. Anonymous readers of a page are asked to sign in. */
@Injectable()
export class ErrorPages {
  constructor(
    private readonly pages: PageSender,
    private readonly cookies: SessionCookies,
    private readonly readers: PageReaders,
  ) {}

  /** @param response has the status and headers of the answer */
  async send({ status }: ErrorAnswer, response: Response): Promise<void> {
    const { req: request } = response;
    if (status < 500) await this.identify(request, response);
    const isAnonymous = pageContextOf(request)?.viewer === null;
    if (!isAnonymous || !REFUSALS.includes(status)) {
      const requestId = String(response.getHeader('X-Request-Id'));
      this.pages.send(response, errorPage(status, requestId));
      return;
    }
    // The same whether there is something or not, and whatever it lacks.
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    if (isRead) response.status(404);
    this.pages.send(response, signInPage(isRead ? formFor(request) : EXPIRED));
  }

  /** Finds out who reads the page of an address that has no route, so that it has the same frame as the others. */
  private async identify(request: Request, response: Response): Promise<void> {
    if (pageContextOf(request) !== undefined || this.cookies.session(request) === undefined) return;
    // The page is shown without a name where the database does not answer.
    await this.readers.identify(request, response).catch(() => undefined);
  }
}

const EXPIRED: SignInForm = {
  returnTo: '/',
  notice: 'The form has expired, or you are not signed in any more.',
};

const formFor = ({ originalUrl }: Request): SignInForm => ({
  returnTo: returnPath(originalUrl),
  notice: 'There is nothing at this address for those who are not signed in.',
});
