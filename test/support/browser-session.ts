import type { Trellis } from './trellis.js';

/** What a browser sends with every request for a page. */
const BROWSER = { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

export interface PageAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** Requests as a browser makes them: with its cookies, and forms with the token of the page that they are on. */
export class BrowserSession {
  private readonly cookies = new Map<string, string>();

  constructor(private readonly trellis: Pick<Trellis, 'url'>) {}

  get cookie(): string {
    return [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  /** Puts a copy of the cookies of another browser in the place of its own. */
  take(other: BrowserSession): void {
    for (const [name, value] of other.cookies) this.cookies.set(name, value);
  }

  get(path: string, headers: Record<string, string> = {}): Promise<PageAnswer> {
    return this.send(path, { headers });
  }

  /** Sends a form as it is, without a token. */
  post(
    path: string,
    fields: Record<string, string>,
    headers: Record<string, string> = {},
  ): Promise<PageAnswer> {
    return this.send(path, { method: 'POST', headers, body: new URLSearchParams(fields) });
  }

  /** Opens a page and sends a form from it. @param path of the form's action */
  async submit(page: string, path: string, fields: Record<string, string>): Promise<PageAnswer> {
    return this.post(path, { csrf_token: await this.csrfToken(page), ...fields });
  }

  async csrfToken(page: string): Promise<string> {
    const { text } = await this.get(page);
    return /name="csrf_token" value="([^"]+)"/.exec(text)?.[1] ?? '';
  }

  signIn(login: string, password: string, returnTo = '/'): Promise<PageAnswer> {
    return this.submit('/-/sign_in', '/-/sign_in', { login, password, return_to: returnTo });
  }

  signInByToken(token: string): Promise<PageAnswer> {
    return this.submit('/-/sign_in', '/-/sign_in', { private_token: token });
  }

  signOut(): Promise<PageAnswer> {
    return this.submit('/', '/-/sign_out', {});
  }

  private async send(path: string, init: RequestInit): Promise<PageAnswer> {
    const response = await fetch(this.trellis.url + path, {
      redirect: 'manual',
      ...init,
      headers: { ...BROWSER, Cookie: this.cookie, ...(init.headers as Record<string, string>) },
    });
    for (const cookie of response.headers.getSetCookie()) this.keep(cookie);
    return { status: response.status, headers: response.headers, text: await response.text() };
  }

  private keep(cookie: string): void {
    const [pair = ''] = cookie.split(';');
    const cut = pair.indexOf('=');
    const [name, value] = [pair.slice(0, cut), pair.slice(cut + 1)];
    if (value === '') this.cookies.delete(name);
    else this.cookies.set(name, value);
  }
}
