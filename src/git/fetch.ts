import type { ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { gitCommands } from './command-table.js';
import { copyRepository, isFilled } from './copy.js';
import { GitProcessError, GitTimeoutError, ImportTooLargeError, RemoteError } from './errors.js';
import { FetchProgress } from './fetch-progress.js';
import { folderSize } from './folder-size.js';
import { exceededLimit, type ObjectLimits } from './object-limits.js';
import type { Admission } from './pack.js';
import { remoteFailure } from './remote-failure.js';
import { callTo, type Remote, type RemoteCall } from './remote.js';
import { RepositoryLocation } from './runtime.js';

const HOUR_MS = 60 * 60_000;

export interface FetchOptions {
  signal?: AbortSignal;
  /** An hour unless told, in milliseconds. */
  timeoutMs?: number;
  /** Hears how many per cent of the objects have arrived, each number once. */
  onProgress?: (percent: number) => void;
  /** The most bytes that may be sent; any number unless told. */
  maxBytes?: number | undefined;
  /** What the objects may have unpacked; anything unless told. */
  objectLimits?: ObjectLimits | undefined;
  /** Decides about what has come before the repository has it. */
  admit?: Admission | undefined;
}

const TOO_MUCH_MEMORY =
  'The objects of the import take too much memory: unpacked, they are far larger than what was sent.';
const TOO_MANY_BYTES = 'The import is too large.';

/**
 * Clones into a folder beside the repository and takes over what came: when the fetch fails, not a
 * byte of it was in the repository.
 * @throws RemoteError; ImportTooLargeError for what a push might not bring either; whatever `admit` throws
 */
export async function fetchRepository(
  to: RepositoryLocation,
  remote: Remote,
  options: FetchOptions,
): Promise<void> {
  const call = callTo(to.runtime, remote);
  await to.identity();
  if (await isFilled(to)) return;
  // The sweep of half-made repositories knows the name, should this process be killed.
  const staging = new RepositoryLocation(`${to.path}.creating-${randomUUID()}`, to.runtime);
  try {
    await clone(staging, call, options);
    const copy = (): Promise<void> => copyRepository(staging, to, options.signal);
    const { admit } = options;
    await (admit === undefined ? copy() : admit(await folderSize(staging.path), copy));
  } catch (error) {
    throw withoutWords(error);
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
        stopMemory = staging.runtime.pushMemory.watch({
          child,
          received: () => progress.receivedBytes,
          onExceeded: () => refuse(TOO_MUCH_MEMORY),
        });
      },
      signal: signal ? AbortSignal.any([signal, tooLarge.signal]) : tooLarge.signal,
    };
    await staging.run(gitCommands.cloneBare(call.address, staging.path), run, 'transfer');
  } finally {
    stopMemory();
  }
  // Else the server only handed out files, which nobody has checked; or it was any page of the web.
  if (!packets.any) throw new RemoteError('unsupported');
  if (objectLimits === undefined) return;
  const terms = { what: 'import', limits: objectLimits } as const;
  const excess = await exceededLimit(staging, join(staging.path, 'objects'), terms);
  if (excess !== null) throw new ImportTooLargeError(excess);
}

/** git repeats what the server says, and a server may say whatever it was told. */
function withoutWords(error: unknown): unknown {
  if (error instanceof GitTimeoutError) return new RemoteError('too-long');
  if (error instanceof GitProcessError) return new RemoteError(remoteFailure(error.stderr));
  return error;
}
