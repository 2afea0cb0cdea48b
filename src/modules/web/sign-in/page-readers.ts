import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { type User, WebSessionsService } from '../../users/index.js';
import { setPageContext } from '../html/page-context.js';
import { csrfTokenOf } from './csrf.js';
import { SessionCookies } from './session-cookies.js';

/** Who reads a page, and the cookie that the token of its forms derives from. */
export interface PageReader {
  /** Null is anonymous. */
  readonly viewer: User | null;
  readonly cookie: string | undefined;
}

/** Finds out who reads a page, by the session of the browser, and notes it for the frame of the page. */
@Injectable()
export class PageReaders {
  constructor(
    private readonly sessions: WebSessionsService,
    private readonly cookies: SessionCookies,
  ) {}

  async identify(request: Request, response: Response): Promise<PageReader> {
    const token = this.cookies.session(request);
    const viewer = token === undefined ? null : await this.sessions.find(token);
    const cookie = viewer === null ? this.cookies.formSecret(request) : token;
    // Without a cookie, the first form of the page sets one.
    let known = cookie;
    const csrfToken = (): string => csrfTokenOf((known ??= this.cookies.setFormSecret(response)));
    setPageContext(request, { viewer, csrfToken });
    return { viewer, cookie };
  }
}
