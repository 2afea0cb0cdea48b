import { addressOf, normalHost } from '../../../../platform/net/index.js';

export interface ImportCredentials {
  user: string;
  /** May be empty: a token is often given as the user name. */
  password: string;
}

/** The address of a repository to import. */
export interface ImportSource {
  /** Without user name and password. */
  address: string;
  /** As in the address, IPv6 in brackets. */
  host: string;
  credentials: ImportCredentials | null;
}

const MAX_LENGTH = 2048;
const SCHEME = /^(?:https?|git|ssh):\/\//i;
const HOST_NAME = /^(?=.{1,253}$)[a-z0-9_](?:[a-z0-9_.-]*[a-z0-9_])?$/;
// What is passed to an ssh client must not look like an option to it.
const SSH_USER = /^[A-Za-z0-9_][A-Za-z0-9_.@-]*$/;
const CONTROL = /\p{Cc}/u;

/**
 * Parses the address of a repository: `http`, `https`, `git` or `ssh`, with a path and without query and fragment,
 * which Git does not use and which may contain a credential. The result is composed from the parsed parts, so that
 * every program that parses it later finds the same host.
 */
export function parseImportUrl(text: string): ImportSource | null {
  const url = parseUrl(text.trim());
  const host = url && hostOf(url);
  const path = url && pathOf(url);
  if (url === null || !host || !path || url.port === '0') return null;
  const credentials = credentialsOf(url);
  if (credentials === undefined) return null;
  const port = url.port === '' ? '' : `:${url.port}`;
  return { address: `${url.protocol}//${host}${port}${path}`, host, credentials };
}

function parseUrl(text: string): URL | null {
  if (text.length > MAX_LENGTH || !SCHEME.test(text) || /[\s?#\\]/.test(text)) return null;
  return !CONTROL.test(text) && URL.canParse(text) ? new URL(text) : null;
}

/** Normalizes the host: for `git` and `ssh` the URL parser leaves it unchanged. */
function hostOf(url: URL): string | null {
  const host = normalHost(url.hostname);
  if (host === null) return null;
  return addressOf(host) !== null || HOST_NAME.test(host) ? host : null;
}

function pathOf({ pathname }: URL): string | null {
  const path = decoded(pathname);
  return path === null || /^\/*$/.test(path) ? null : pathname;
}

/** Returns undefined for credentials that the protocol cannot carry or would misread. */
function credentialsOf(url: URL): ImportCredentials | null | undefined {
  if (url.username === '' && url.password === '') return null;
  const user = decoded(url.username);
  const password = decoded(url.password);
  if (user === null || password === null || url.protocol === 'git:') return undefined;
  const usable = url.protocol === 'ssh:' ? SSH_USER.test(user) : !user.includes(':');
  return usable ? { user, password } : undefined;
}

function decoded(text: string): string | null {
  try {
    const plain = decodeURIComponent(text);
    return CONTROL.test(plain) ? null : plain;
  } catch {
    return null;
  }
}
