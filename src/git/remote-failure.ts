import type { RemoteFailure } from './errors.js';

/** What git says when it fails, in English by its environment; the first that fits counts. */
const SIGNS: readonly (readonly [RemoteFailure, RegExp])[] = [
  [
    'unauthorized',
    /could not read (?:Username|Password)|Authentication failed|Permission denied \(/,
  ],
  ['unauthorized', /returned error: 40[13]|HTTP 40[13]|Permission denied, please try again/],
  ['redirected', /redirect|returned error: 30\d/],
  ['shallow', /source repository is shallow/],
  ['not-found', /repository '' not found|returned error: 4(?:04|10)|does not appear to be a git/],
  ['not-found', /not valid: is this a git repository|or repository not exported/],
  ['untrusted', /certificate|SSL|TLS/],
  [
    'interrupted',
    /early EOF|unexpected disconnect|hung up unexpectedly|transfer closed|timed? ?out/i,
  ],
  [
    'unreachable',
    /Failed to connect|Couldn't connect|unable to connect|Connection (?:refused|reset)/,
  ],
  ['unreachable', /Network is unreachable|No route to host|returned error: (?:5\d\d|429)/],
  [
    'invalid-objects',
    /fsck error|error: object [0-9a-f]+:|invalid index-pack output|index-pack fail/,
  ],
];

/** Why a fetch failed. What the server says and what is quoted counts for nothing: it is not git's word. */
export function remoteFailure(stderr: string): RemoteFailure {
  const own = stderr
    .split(/[\r\n]+/)
    .filter((line) => !line.startsWith('remote:'))
    .join('\n')
    .replace(/'[^']*'/g, "''");
  return SIGNS.find(([, sign]) => sign.test(own))?.[0] ?? 'failed';
}
