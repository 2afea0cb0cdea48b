import type { RemoteFailure } from '../model/errors.js';

/** Longer than any progress line of git. */
const KEPT = 256;
const PERCENT = /(?:^|[\r\n])Receiving objects:\s+(\d{1,3})%/g;
const BYTES = /(?:^|[\r\n])Receiving objects:[^\r\n]{1,80}, ([\d.]+) (bytes|[KMG]iB) \|/g;
const UNITS: Readonly<Record<string, number>> = {
  bytes: 1,
  KiB: 1024,
  MiB: 1024 ** 2,
  GiB: 1024 ** 3,
};

/** Parses the progress messages of a fetch, in chunks that may be cut anywhere. */
export class FetchProgress {
  /** About how many bytes have arrived. */
  receivedBytes = 0;
  private percent = -1;
  private rest = '';

  /** @param onPercent called with the percentage of objects that have arrived, once for each number */
  constructor(private readonly onPercent: (percent: number) => void) {}

  read(chunk: Buffer): void {
    const text = this.rest + chunk.toString('latin1');
    for (const [, digits] of text.matchAll(PERCENT)) {
      const percent = Math.min(100, Number(digits));
      if (percent <= this.percent) continue;
      this.percent = percent;
      this.onPercent(percent);
    }
    for (const [, count, unit] of text.matchAll(BYTES)) {
      const bytes = Number(count) * (UNITS[unit ?? ''] ?? 1);
      if (bytes > this.receivedBytes) this.receivedBytes = bytes;
    }
    this.rest = text.slice(-KEPT);
  }
}

/** Messages of a failed git, in English because of its environment. The first match counts. */
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

/** Returns why a fetch failed. Ignores messages of the server and quoted texts, which are not from git. */
export function remoteFailure(stderr: string): RemoteFailure {
  const own = stderr
    .split(/[\r\n]+/)
    .filter((line) => !line.startsWith('remote:'))
    .join('\n')
    .replace(/'[^']*'/g, "''");
  return SIGNS.find(([, sign]) => sign.test(own))?.[0] ?? 'failed';
}
