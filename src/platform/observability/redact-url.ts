/** The address to import from, and that of a hook, may carry a user name and a password. */
const SECRET_NAME = /token|password|secret|import_url|^url$/i;
const REDACTED = '[redacted]';
/** Who has the address of an upload may read it. */
const UPLOAD_SECRET = /(\/uploads\/)[0-9a-f]{32}(?=\/|$)/gi;

/** The URL without secrets: values of parameters, however their names are escaped, and of uploads. */
export function redactUrl(url: string): string {
  const cut = url.indexOf('?');
  const path = redactPath(cut < 0 ? url : url.slice(0, cut));
  if (cut < 0) return path;
  const pairs = url.slice(cut + 1).split('&');
  return `${path}?${pairs.map(redactPair).join('&')}`;
}

/** Escapes may hide a secret, which is found all the same. */
function redactPath(path: string): string {
  const clear = decoded(path);
  const redacted = clear.replace(UPLOAD_SECRET, `$1${REDACTED}`);
  return redacted === clear ? path : redacted;
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
