/** The address to import from, and that of a hook, may carry a user name and a password. */
const SECRET_NAME = /token|password|secret|import_url|^url$/i;
const REDACTED = '[redacted]';

/** The URL with the values of secret parameters taken out, however their names are escaped. */
export function redactUrl(url: string): string {
  const cut = url.indexOf('?');
  if (cut < 0) return url;
  const pairs = url.slice(cut + 1).split('&');
  return `${url.slice(0, cut)}?${pairs.map(redactPair).join('&')}`;
}

function redactPair(pair: string): string {
  const cut = pair.indexOf('=');
  const name = cut < 0 ? pair : pair.slice(0, cut);
  return SECRET_NAME.test(decoded(name)) ? `${name}=${REDACTED}` : pair;
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
