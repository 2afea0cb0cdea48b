import type { ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import {
  GitProcessError,
  GitTimeoutError,
  ImportTooLargeError,
  RemoteError,
  type RemoteFailure,
} from '../model/errors.js';
import type { Admission } from '../objects/incoming.js';
import { exceededLimit, type ObjectLimits } from '../objects/object-limits.js';
import { GIT_MEMORY } from '../process/git-memory.js';
import { limitProcessorTime } from '../process/git-time.js';
import { folderSize } from '../storage/files.js';
import type { RepositoryLocation } from '../storage/repository-location.js';
import { copyRepository, isFilled } from './copy.js';
import { callTo, type ForeignFolder, type Remote, type RemoteCall } from './remote.js';

const HOUR_MS = 60 * 60_000;
const TOO_MUCH_MEMORY =
  'The objects of the import take too much memory: unpacked, they are far larger than what was sent.';
const TOO_MUCH_TIME = 'The objects of the import take too much processor time.';
const TOO_MANY_BYTES = 'The import is too large.';

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

export interface FetchOptions {
  signal?: AbortSignal;
  /** In milliseconds; by default one hour. */
  timeoutMs?: number;
  /** Called with the percentage of objects that have arrived, once for each number. */
  onProgress?: (percent: number) => void;
  /** The most bytes that may arrive; by default any number. */
  maxBytes?: number | undefined;
  /** The largest unpacked objects; by default any. */
  objectLimits?: ObjectLimits | undefined;
  /** Decides about the objects before they are moved into the repository. */
  admit?: Admission | undefined;
}

/**
 * Clones into a folder next to the repository and copies the result, so that a failed fetch does not change the
 * repository.
 * @throws RemoteError
 * @throws ImportTooLargeError when the objects exceed a limit
 * @throws the error of `admit`
 */
export async function fetchRepository(
  to: RepositoryLocation,
  source: Remote | ForeignFolder,
  options: FetchOptions,
): Promise<void> {
  const call = callTo(to.runtime, source);
  await to.identity();
  if (await isFilled(to)) return;
  // `removeLeftoverFolders` deletes folders of this name that killed processes have left.
  const staging = to.beside(`${to.path}.creating-${randomUUID()}`);
  try {
    await clone(staging, call, options);
    const copy = (): Promise<void> => copyRepository(staging, to, options.signal);
    const { admit } = options;
    await (admit === undefined ? copy() : admit(await folderSize(staging.path), copy));
  } catch (error) {
    throw withoutServerMessages(error);
  } finally {
    await rm(staging.path, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function clone(
  staging: RepositoryLocation,
  call: RemoteCall,
  options: FetchOptions,
): Promise<void> {
  const { onProgress, maxBytes = Infinity, objectLimits, signal } = options;
  const progress = new FetchProgress(onProgress ?? (() => undefined));
  const tooLarge = new AbortController();
  const refuse = (reason: string): void => tooLarge.abort(new ImportTooLargeError(reason));
  const packets = { any: false };
  let stopMemory = (): void => undefined;
  let stopTime = (): void => undefined;
  try {
    const run = {
      timeoutMs: options.timeoutMs ?? HOUR_MS,
      environment: { ...call.environment, GIT_TRACE_PACKET: '3' },
      onThird: () => {
        packets.any = true;
      },
      onStderr: (chunk: Buffer) => {
        progress.read(chunk);
        if (progress.receivedBytes > maxBytes) refuse(TOO_MANY_BYTES);
      },
      onStart: (child: ChildProcess) => {
        const { runtime } = staging;
        const received = (): number => progress.receivedBytes;
        stopMemory = runtime.shared(GIT_MEMORY).watch({
          child,
          received,
          onExceeded: () => refuse(TOO_MUCH_MEMORY),
        });
        stopTime = limitProcessorTime(runtime.limits.pushTimeMs, {
          child,
          received,
          onExceeded: () => refuse(TOO_MUCH_TIME),
        });
      },
      signal: signal ? AbortSignal.any([signal, tooLarge.signal]) : tooLarge.signal,
    };
    // Not by the location: git itself makes the repository, and removes it again when it fails.
    const workload = { kind: 'transfer', repository: staging.path } as const;
    await staging.runtime.launcher.run(call.clone(staging.path), { ...run, workload });
  } finally {
    stopMemory();
    stopTime();
  }
  // Without packets the server does not speak the protocol, and git did not check the objects.
  if (!packets.any) throw new RemoteError('unsupported');
  if (objectLimits === undefined) return;
  const terms = { what: 'import', limits: objectLimits } as const;
  const excess = await exceededLimit(staging, join(staging.path, 'objects'), terms);
  if (excess !== null) throw new ImportTooLargeError(excess);
}

/** Keeps the messages of the server out of the message of an error, since they may contain anything. */
function withoutServerMessages(error: unknown): unknown {
  if (error instanceof GitTimeoutError) return new RemoteError('too-long');
  if (error instanceof GitProcessError) {
    const [, detail] = /^(?:fatal|error): (.{1,500})/m.exec(error.stderr) ?? [];
    return new RemoteError(remoteFailure(error.stderr), detail);
  }
  return error;
}

/** Parses the progress messages of a fetch, in chunks that may be cut anywhere. */
class FetchProgress {
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
function remoteFailure(stderr: string): RemoteFailure {
  const own = stderr
    .split(/[\r\n]+/)
    .filter((line) => !line.startsWith('remote:'))
    .join('\n')
    .replace(/'[^']*'/g, "''");
  return SIGNS.find(([, sign]) => sign.test(own))?.[0] ?? 'failed';
}
