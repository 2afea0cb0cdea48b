import { Webhook } from 'standardwebhooks';
import { HOOK_KINDS, type HookKind } from '../model/hook.entity.js';

/** The request of one attempt. */
export interface DeliveryRequest {
  /** Without user and password. */
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The response of a receiver. */
export interface ReceiverResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** As far as it was read. */
  readonly body: string;
}

/** What is delivered. */
interface DeliveryMessage {
  readonly messageId: string;
  readonly kind: HookKind;
  readonly body: string;
}

/** Where it is delivered to. */
interface DeliveryReceiver {
  /** With user and password. */
  readonly url: URL;
  readonly isSystemHook: boolean;
  readonly token: string | null;
}

/** Headers that the delivery log leaves out. */
const SECRET_HEADERS: ReadonlySet<string> = new Set([
  'Authorization',
  'X-Gitlab-Token',
  'webhook-signature',
]);
const KEY_PREFIX = 'whsec_';
const BASIC = 'Basic ';

/**
 * Builds the request of one attempt. See docs/reference/hooks.md#the-request.
 * @param at the moment of the attempt
 */
export function deliveryRequest(
  message: DeliveryMessage,
  { url: address, isSystemHook, token }: DeliveryReceiver,
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

/** The request with the header by which its receiver continues a trace; without a trace as it is. */
export function inTraceOf(request: DeliveryRequest, traceparent: string | null): DeliveryRequest {
  return traceparent === null
    ? request
    : { ...request, headers: { ...request.headers, traceparent } };
}

/** The headers without secrets, for the delivery log. */
export function withoutSecrets(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !SECRET_HEADERS.has(name)));
}

/** Secrets that are shorter are left in answers, where they could be anything. */
const MIN_SECRET = 6;
const REDACTED = '[redacted]';

/**
 * An answer without the secrets of the request, which some receivers repeat: as they were sent, decoded, and as strings of JSON
 * have them.
 */
export function withoutRepeatedSecrets(
  response: ReceiverResponse,
  { headers }: DeliveryRequest,
): ReceiverResponse {
  const secrets = secretsOf(headers);
  if (secrets.length === 0) return response;
  const redact = (text: string): string =>
    secrets.reduce((rest, secret) => rest.replaceAll(secret, REDACTED), text);
  return {
    status: response.status,
    headers: Object.fromEntries(
      Object.entries(response.headers).map(([name, value]) => [name, redact(value)]),
    ),
    body: secrets.reduce(redactEnd, redact(response.body)),
  };
}

/** Redacts the beginning of a secret at the end of a body, which may have been read only up to there. */
function redactEnd(text: string, secret: string): string {
  for (let length = secret.length - 1; length >= MIN_SECRET; length -= 1) {
    if (text.endsWith(secret.slice(0, length))) return text.slice(0, -length) + REDACTED;
  }
  return text;
}

/** The longest first, since one may contain another. */
function secretsOf(headers: DeliveryRequest['headers']): string[] {
  const sent = [...SECRET_HEADERS].flatMap((name) => headers[name] ?? []);
  const credentials = sent
    .filter((value) => value.startsWith(BASIC))
    .map((value) => value.slice(BASIC.length));
  const pairs = credentials.map((encoded) => Buffer.from(encoded, 'base64').toString());
  const passwords = pairs.map((pair) => pair.slice(pair.indexOf(':') + 1));
  const clear = [...sent.map((value) => Buffer.from(value, 'latin1').toString()), ...passwords];
  const quoted = [...sent, ...clear].map((value) => JSON.stringify(value).slice(1, -1));
  // Some languages write slashes in JSON with a backslash.
  const inJson = [...quoted, ...quoted.map((value) => value.replaceAll('/', '\\/'))];
  const all = new Set([...sent, ...credentials, ...pairs, ...clear, ...inJson]);
  return [...all]
    .filter(({ length }) => length >= MIN_SECRET)
    .sort((one, other) => other.length - one.length);
}

function eventHeader(kind: HookKind, isSystemHook: boolean): string {
  return isSystemHook || kind === 'system' ? 'System Hook' : HOOK_KINDS[kind].header;
}

function tokenHeaders(message: DeliveryMessage, token: string, at: Date): Record<string, string> {
  const signer = new Webhook(signingKey(token), { format: 'raw' });
  return {
    ...(isHeaderValue(token) ? { 'X-Gitlab-Token': encodeHeader(token) } : {}),
    'webhook-signature': signer.sign(message.messageId, at, message.body),
  };
}

/**
 * The key of a token: of one in the form of Standard Webhooks its decoded bytes, of others the bytes
 * themselves. See docs/reference/hooks.md#checking-deliveries.
 */
function signingKey(token: string): Uint8Array {
  const decoded = token.startsWith(KEY_PREFIX)
    ? Buffer.from(token.slice(KEY_PREFIX.length), 'base64')
    : Buffer.alloc(0);
  return decoded.length > 0 ? decoded : Buffer.from(token);
}

function basicAuthorization({ username, password }: URL): string | null {
  if (username === '' && password === '') return null;
  const pair = `${percentDecoded(username)}:${percentDecoded(password)}`;
  return `${BASIC}${Buffer.from(pair).toString('base64')}`;
}

function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

// Headers cannot contain line breaks and other control characters. Such a token only signs.
function isHeaderValue(token: string): boolean {
  return /^[^\0-\x08\x0a-\x1f\x7f]+$/.test(token);
}

// Node writes each character of a header as one byte.
function encodeHeader(text: string): string {
  return Buffer.from(text).toString('latin1');
}
