import { Webhook } from 'standardwebhooks';
import { HOOK_KINDS, type HookKind } from '../hook-kinds.js';

/** What one attempt sends, and where to. */
export interface DeliveryRequest {
  /** Without user and password. */
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface Message {
  readonly messageId: string;
  readonly kind: HookKind;
  readonly body: string;
}

export interface Addressee {
  /** With user and password. */
  readonly url: URL;
  readonly isSystemHook: boolean;
  readonly token: string | null;
}

/** What the log does not tell. */
const SECRET_HEADERS: ReadonlySet<string> = new Set([
  'Authorization',
  'X-Gitlab-Token',
  'webhook-signature',
]);
const KEY_PREFIX = 'whsec_';

/**
 * The request of one attempt (open points 7.1).
 * @param at the moment of the attempt
 */
export function deliveryRequest(
  message: Message,
  { url: address, isSystemHook, token }: Addressee,
  { at, userAgent }: { at: Date; userAgent: string },
): DeliveryRequest {
  const url = new URL(address);
  const authorization = basicAuthorization(url);
  url.username = '';
  url.password = '';
  url.hash = '';
  const headers = {
    'Content-Type': 'application/json',
    'Content-Length': String(Buffer.byteLength(message.body)),
    'User-Agent': userAgent,
    'X-Gitlab-Event': eventHeader(message.kind, isSystemHook),
    'webhook-id': message.messageId,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
    ...(authorization === null ? {} : { Authorization: authorization }),
    ...(token === null ? {} : tokenHeaders(message, token, at)),
  };
  return { url, headers, body: message.body };
}

/** The headers as the log may show them. */
export function withoutSecrets(headers: Readonly<Record<string, string>>): Record<string, string> {
  const shown = Object.entries(headers).filter(([name]) => !SECRET_HEADERS.has(name));
  return Object.fromEntries(shown);
}

function eventHeader(kind: HookKind, isSystemHook: boolean): string {
  return isSystemHook || kind === 'system' ? 'System Hook' : HOOK_KINDS[kind];
}

function tokenHeaders(message: Message, token: string, at: Date): Record<string, string> {
  const signer = new Webhook(signingKey(token), { format: 'raw' });
  return {
    ...(isSendable(token) ? { 'X-Gitlab-Token': asHeader(token) } : {}),
    'webhook-signature': signer.sign(message.messageId, at, message.body),
  };
}

/** Of tokens in the form of Standard Webhooks the bytes that they spell, of others their own. */
function signingKey(token: string): Uint8Array {
  const spelled = token.startsWith(KEY_PREFIX)
    ? Buffer.from(token.slice(KEY_PREFIX.length), 'base64')
    : Buffer.alloc(0);
  return spelled.length > 0 ? spelled : Buffer.from(token);
}

function basicAuthorization({ username, password }: URL): string | null {
  if (username === '' && password === '') return null;
  const pair = `${decoded(username)}:${decoded(password)}`;
  return `Basic ${Buffer.from(pair).toString('base64')}`;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

// A header cannot hold line breaks and the like; such a token still signs.
function isSendable(token: string): boolean {
  return /^[^\0-\x08\x0a-\x1f\x7f]+$/.test(token);
}

// Node takes each character of a header for one byte.
function asHeader(text: string): string {
  return Buffer.from(text).toString('latin1');
}
