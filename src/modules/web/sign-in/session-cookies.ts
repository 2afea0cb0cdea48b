import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { CookieOptions, Request, Response } from 'express';
import { Config } from '../../../platform/config/index.js';
import { WEB_SESSIONS } from '../../users/index.js';

const SESSION = 'trellis_session';
const FORM = 'trellis_form';

/** What both cookies contain: 32 random bytes in base64url. */
const VALUE = /^[A-Za-z0-9_-]{43}$/;

/**
 * The cookies of browsers: the token of a session, and for forms of anonymous readers a secret that shows that the form
 * came from a page of this service. No script reads them, and no other site sends them along with its forms.
 */
@Injectable()
export class SessionCookies {
  constructor(private readonly config: Config) {}

  session(request: Request): string | undefined {
    return this.read(request, SESSION);
  }

  setSession(response: Response, token: string): void {
    const maxAge = WEB_SESSIONS.lifetimeSeconds * 1000;
    response.cookie(this.nameOf(SESSION), token, { ...this.options(), sameSite: 'lax', maxAge });
  }

  clearSession(response: Response): void {
    response.clearCookie(this.nameOf(SESSION), { ...this.options(), sameSite: 'lax' });
  }

  formSecret(request: Request): string | undefined {
    return this.read(request, FORM);
  }

  /** Gives an anonymous reader a secret for the forms of the page. */
  setFormSecret(response: Response): string {
    const secret = randomBytes(32).toString('base64url');
    response.cookie(this.nameOf(FORM), secret, { ...this.options(), sameSite: 'strict' });
    return secret;
  }

  private get isSecure(): boolean {
    return this.config.http.externalUrl.startsWith('https:');
  }

  /** Browsers take a `__Host-` cookie from this very host only, over HTTPS. */
  private nameOf(name: string): string {
    return this.isSecure ? `__Host-${name}` : name;
  }

  private options(): CookieOptions {
    return { httpOnly: true, path: '/', secure: this.isSecure };
  }

  private read(request: Request, name: string): string | undefined {
    const prefix = `${this.nameOf(name)}=`;
    const cookies = (request.headers.cookie ?? '').split(';').map((cookie) => cookie.trim());
    const value = cookies.find((cookie) => cookie.startsWith(prefix))?.slice(prefix.length);
    return value !== undefined && VALUE.test(value) ? value : undefined;
  }
}
