import { lookup } from 'node:dns/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { CommandError, UsageError } from '../../errors.js';
import { RemoteRecord } from './remote-record.js';

const PER_PAGE = 100;
/** For lists whose pages are too large. */
const PER_SMALL_PAGE = 5;
const MAX_ANSWER_BYTES = 32 * 1024 * 1024;
/** More than any list that makes sense; ends one that never ends. */
const MAX_PAGES = 100_000;
const TIMEOUT_MS = 120_000;
const ATTEMPTS = 5;
const LONGEST_WAIT_MS = 60_000;

/** The other server has answered in a way that the import cannot go on with. */
export class RemoteServerError extends CommandError {
  constructor(
    message: string,
    /** Of the answer; null if there was none that could be read. */
    readonly status: number | null = null,
  ) {
    super(message);
  }
}

/** The other server does not answer, also after several attempts. */
export class ServerUnreachableError extends RemoteServerError {}

class AnswerTooLargeError extends RemoteServerError {}

interface RemoteAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** Empty unless the status is 200. */
  readonly bytes: Buffer;
}

/** A page of a list. */
interface RemotePage {
  readonly items: readonly unknown[];
  readonly hasNext: boolean;
}

/**
 * Another server that speaks version 3 of the interface. Nothing that it answers leads to another address: redirects
 * are refused, and pages are counted. Answers have limits in bytes and time.
 */
export class RemoteServer {
  private constructor(
    /** Without a slash at its end. */
    readonly url: string,
    private readonly token: string,
    /** Waits between attempts; shorter in tests. */
    private readonly pauseMs: number,
  ) {}

  /** @throws UsageError unless it is an address of a server */
  static at(url: string, token: string, { pauseMs = 1_000 } = {}): RemoteServer {
    const parsed = URL.canParse(url) ? new URL(url) : null;
    const isUsable =
      parsed !== null &&
      /^https?:$/.test(parsed.protocol) &&
      [parsed.username, parsed.password, parsed.search, parsed.hash].every((part) => part === '');
    if (!isUsable) throw new UsageError(`${url} is not an address such as https://git.example.com`);
    const base = parsed.href.replace(/(?<!\/)\/+$/, '').replace(/\/api\/v3$/, '');
    return new RemoteServer(base, token, pauseMs);
  }

  get host(): string {
    return new URL(this.url).host;
  }

  /** Returns the IP addresses of the host. */
  async addresses(): Promise<string[]> {
    const { hostname } = new URL(this.url);
    const found = await lookup(hostname.replace(/^\[|\]$/g, ''), { all: true, verbatim: true });
    return found.map(({ address }) => address);
  }

  /** Returns the address of a project's repository. */
  repositoryUrl(projectPath: string): string {
    return `${this.url}/${projectPath}.git`;
  }

  /** @throws RemoteServerError */
  async get(path: string): Promise<RemoteRecord> {
    const { body } = await this.request(path, {});
    return new RemoteRecord(body, path);
  }

  /**
   * Reads the account that the token belongs to, with one attempt: a server that does not answer the first request is down, or its
   * address is wrong.
   * @throws RemoteServerError
   */
  async owner(): Promise<RemoteRecord> {
    const { body } = await this.request('/user', {}, 1);
    return new RemoteRecord(body, '/user');
  }

  /** As `get`, null if there is none or it is hidden from the owner of the token. */
  async find(path: string): Promise<RemoteRecord | null> {
    try {
      return await this.get(path);
    } catch (error) {
      if (error instanceof RemoteServerError && [403, 404].includes(error.status ?? 0)) return null;
      throw error;
    }
  }

  /** Lists all pages. @throws RemoteServerError */
  async *list(path: string, query: Record<string, string> = {}): AsyncGenerator<RemoteRecord> {
    let perPage = PER_PAGE;
    let offset = 0;
    let first: string | undefined;
    let last: string | undefined;
    for (let count = 0; count < MAX_PAGES; count += 1) {
      const page = String(offset / perPage + 1);
      let found: RemotePage;
      try {
        found = await this.page(path, { ...query, page, per_page: String(perPage) });
      } catch (error) {
        if (!(error instanceof AnswerTooLargeError) || perPage !== PER_PAGE) throw error;
        perPage = PER_SMALL_PAGE;
        continue;
      }
      const beginning = JSON.stringify(found.items[0]);
      // Some lists of old servers have no pages, and are the same whatever page is asked for; others repeat their last one.
      if (count > 0 && (beginning === first || beginning === last)) return;
      first ??= beginning;
      last = beginning;
      yield* found.items.map((item) => new RemoteRecord(item, path));
      if (!found.hasNext) return;
      offset += perPage;
    }
    throw new RemoteServerError(`${path} has too many pages`);
  }

  private async page(path: string, query: Record<string, string>): Promise<RemotePage> {
    const { body, headers } = await this.request(path, query);
    if (!Array.isArray(body)) throw new RemoteServerError(`${path} does not answer a list`);
    const next = headers.get('x-next-page');
    const link = headers.get('link');
    const isFull = body.length === Number(query['per_page']);
    const hasNext =
      next !== null ? next !== '' : link !== null ? /rel="?next"?/.test(link) : isFull;
    return { items: body as unknown[], hasNext: hasNext && body.length > 0 };
  }

  private async request(
    path: string,
    query: Record<string, string>,
    attempts = ATTEMPTS,
  ): Promise<{ body: unknown; headers: Headers }> {
    const url = `${this.url}/api/v3${path}?${new URLSearchParams(query).toString()}`;
    for (let attempt = 1; ; attempt += 1) {
      const answer = await this.attempt(url, path);
      if (typeof answer !== 'string' && !isTemporary(answer.status)) {
        return { body: this.parse(answer, path), headers: answer.headers };
      }
      const reason = typeof answer === 'string' ? answer : `status ${String(answer.status)}`;
      if (attempt === attempts) {
        throw new ServerUnreachableError(`${this.url} cannot be reached for ${path}: ${reason}`);
      }
      await delay(Math.min(this.waitAfter(answer, attempt), LONGEST_WAIT_MS));
    }
  }

  /** @returns why there is no whole answer, if there is none */
  private async attempt(url: string, path: string): Promise<RemoteAnswer | string> {
    try {
      const response = await fetch(url, {
        headers: { 'PRIVATE-TOKEN': this.token, accept: 'application/json' },
        redirect: 'manual',
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      const { status, headers } = response;
      if (status === 200) return { status, headers, bytes: await read(response, path) };
      await response.body?.cancel();
      return { status, headers, bytes: Buffer.alloc(0) };
    } catch (error) {
      if (error instanceof AnswerTooLargeError) throw error;
      return causeOf(error);
    }
  }

  /** Returns how long to wait, in milliseconds: what the server asks for, else longer each time. */
  private waitAfter(answer: RemoteAnswer | string, attempt: number): number {
    const asked = typeof answer === 'string' ? null : answer.headers.get('retry-after');
    const seconds = asked === null ? NaN : Number(asked);
    return Number.isNaN(seconds) ? this.pauseMs * 2 ** attempt : seconds * 1_000;
  }

  private parse({ status, bytes }: RemoteAnswer, path: string): unknown {
    if (status !== 200) {
      const hint =
        status === 401
          ? 'the token is not accepted'
          : status >= 300 && status < 400
            ? 'it redirects elsewhere: give the address that it redirects to'
            : `status ${String(status)}`;
      throw new RemoteServerError(`${this.url} refuses ${path}: ${hint}`, status);
    }
    try {
      return JSON.parse(bytes.toString('utf8')) as unknown;
    } catch {
      throw new RemoteServerError(`${this.url} does not answer JSON for ${path}`);
    }
  }
}

/** @throws AnswerTooLargeError, or if the connection breaks */
async function read({ body }: Response, path: string): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += chunk.byteLength;
    if (bytes > MAX_ANSWER_BYTES) throw new AnswerTooLargeError(`${path} answers too much`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

const isTemporary = (status: number): boolean => status === 429 || status >= 502;

/** `fetch` says nothing but `fetch failed`; the code of its cause does. */
function causeOf(error: unknown): string {
  const { cause, message } = error as { cause?: { code?: unknown }; message?: unknown };
  return String(cause?.code ?? message);
}
