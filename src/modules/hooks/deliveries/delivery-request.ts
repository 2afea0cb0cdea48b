import { Webhook } from 'standardwebhooks';
import type { HookKind, HookVersion, ProjectHookKind } from '../model/hook.entity.js';
import { SecretPattern } from './secret-pattern.js';

/** The request of one attempt. */
export interface DeliveryRequest {
  /** Without user and password. */
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Names of headers that are as secret as those of `SECRET_HEADERS`. */
  readonly customHeaders: readonly string[];
  /** What stands for the variables of the URL. */
  readonly urlSecrets: readonly string[];
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
  readonly version: HookVersion;
  /** Null in version 3. */
  readonly eventUuid: string | null;
  readonly body: string;
}

/** Where it is delivered to. */
interface DeliveryReceiver {
  /** With user and password. */
  readonly url: URL;
  readonly isSystemHook: boolean;
  readonly token: string | null;
  readonly customHeaders: ReadonlyMap<string, string>;
  readonly urlSecrets: readonly string[];
  /** Null in version 3. */
  readonly uuid: string | null;
}

/** What is the same for all deliveries of an attempt. */
interface DeliverySender {
  /** The moment of the attempt. */
  readonly at: Date;
  readonly userAgent: string;
  /** Address of the instance. */
  readonly instance: string;
}

/** The `X-Gitlab-Event` of each kind in version 3. */
const EVENT_HEADERS: Readonly<Record<ProjectHookKind, string>> = {
  push: 'Push Hook',
  tag_push: 'Tag Push Hook',
  issue: 'Issue Hook',
  confidential_issue: 'Confidential Issue Hook',
  note: 'Note Hook',
  confidential_note: 'Confidential Note Hook',
  merge_request: 'Merge Request Hook',
  build: 'Build Hook',
  pipeline: 'Pipeline Hook',
  wiki_page: 'Wiki Page Hook',
  release: 'Release Hook',
  emoji: 'Emoji Hook',
};

/** The same of version 4, where it differs. */
const V4_EVENT_HEADERS: Partial<Record<HookKind, string>> = { build: 'Job Hook' };

/** Headers that the delivery log leaves out. */
const SECRET_HEADERS: ReadonlySet<string> = new Set([
  'Authorization',
  'X-Gitlab-Token',
  'webhook-signature',
]);
const KEY_PREFIX = 'whsec_';
const BASIC = 'Basic ';

/** Builds the request of one attempt. See docs/reference/hooks.md#the-request and docs/reference/v4-hooks.md#the-request. */
export function deliveryRequest(
  message: DeliveryMessage,
  receiver: DeliveryReceiver,
  { at, userAgent, instance }: DeliverySender,
): DeliveryRequest {
  const { url: address, isSystemHook, token, customHeaders, uuid } = receiver;
  const url = new URL(address);
  const authorization = basicAuthorization(url);
  url.username = '';
  url.password = '';
  url.hash = '';
  const headers = {
    'Content-Type': 'application/json',
    'Content-Length': String(Buffer.byteLength(message.body)),
    'User-Agent': userAgent,
    'X-Gitlab-Event': eventHeader(message, isSystemHook),
    'webhook-id': message.messageId,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
    ...(authorization === null ? {} : { Authorization: authorization }),
    ...(token === null ? {} : tokenHeaders(message, token, at)),
    ...(message.version === 4 ? identifyingHeaders(message, uuid, instance) : {}),
  };
  return {
    url,
    headers: withCustomHeaders(headers, customHeaders),
    body: message.body,
    customHeaders: [...customHeaders.keys()],
    urlSecrets: receiver.urlSecrets,
  };
}

/** The request with the header by which its receiver continues a trace; without a trace as it is. */
export function inTraceOf(request: DeliveryRequest, traceparent: string | null): DeliveryRequest {
  return traceparent === null
    ? request
    : { ...request, headers: { ...request.headers, traceparent } };
}

/** The headers without secrets, for the delivery log. */
export function withoutSecrets({
  headers,
  customHeaders,
}: Pick<DeliveryRequest, 'headers' | 'customHeaders'>): Record<string, string> {
  const isSecret = (name: string): boolean =>
    SECRET_HEADERS.has(name) || customHeaders.includes(name);
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !isSecret(name)));
}

/** Secrets that are shorter are left in answers, where they could be anything. */
const MIN_SECRET = 6;

/**
 * An answer without the secrets of the request, which some receivers repeat: as they were sent, decoded, and as strings of JSON
 * have them.
 */
export function withoutRepeatedSecrets(
  response: ReceiverResponse,
  request: DeliveryRequest,
): ReceiverResponse {
  const secrets = secretsOf(request).map((secret) => new SecretPattern(secret));
  if (secrets.length === 0) return response;
  const redact = (text: string): string =>
    secrets.reduce((rest, secret) => secret.redact(rest), text);
  return {
    status: response.status,
    headers: Object.fromEntries(
      Object.entries(response.headers).map(([name, value]) => [name, redact(value)]),
    ),
    // It may have been read only up to the middle of one.
    body: secrets.reduce(
      (rest, secret) => secret.redactEnd(rest, MIN_SECRET),
      redact(response.body),
    ),
  };
}

/** The longest first, since one may contain another. */
function secretsOf({ headers, customHeaders, urlSecrets }: DeliveryRequest): string[] {
  const inHeaders = [...SECRET_HEADERS, ...customHeaders].flatMap((name) => headers[name] ?? []);
  const sent = [...inHeaders, ...urlSecrets.flatMap(spellingsInUrl)];
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

/** A value as it is, and as paths, queries and forms have it. */
function spellingsInUrl(value: string): string[] {
  const url = new URL('http://localhost/');
  url.pathname = `/${value}`;
  url.search = `?${value}`;
  // Half of a surrogate pair is sent as U+FFFD, and could not be encoded.
  const encoded = encodeURIComponent(Buffer.from(value).toString());
  return [value, url.pathname.slice(1), url.search.slice(1), encoded];
}

function eventHeader({ kind, version }: DeliveryMessage, isSystemHook: boolean): string {
  if (isSystemHook || kind === 'system' || kind === 'repository_update') return 'System Hook';
  return (version === 4 ? V4_EVENT_HEADERS[kind] : undefined) ?? EVENT_HEADERS[kind];
}

/** What identifies event, hook and instance; the same in all attempts, like `Idempotency-Key`. */
function identifyingHeaders(
  { messageId, eventUuid }: DeliveryMessage,
  hookUuid: string | null,
  instance: string,
): Record<string, string> {
  return {
    'Idempotency-Key': messageId,
    'X-Gitlab-Instance': instance,
    ...(eventUuid === null ? {} : { 'X-Gitlab-Event-UUID': eventUuid }),
    ...(hookUuid === null ? {} : { 'X-Gitlab-Webhook-UUID': hookUuid }),
  };
}

/** A custom header replaces one of the same name, whatever its case, such as the authorization of the URL. */
function withCustomHeaders(
  headers: Readonly<Record<string, string>>,
  custom: ReadonlyMap<string, string>,
): Record<string, string> {
  const names = new Set([...custom.keys()].map((name) => name.toLowerCase()));
  const others = Object.entries(headers).filter(([name]) => !names.has(name.toLowerCase()));
  return Object.fromEntries([...others, ...custom]);
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
