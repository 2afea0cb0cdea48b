import type { ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import {
  GitProcessError,
  GitTimeoutError,
  ImportTooLargeError,
  RemoteError,
} from '../model/errors.js';
import { exceededLimit, type ObjectLimits } from '../objects/object-limits.js';
import type { Admission } from '../objects/pack.js';
import { gitCommands } from '../process/command-table.js';
import { PUSH_MEMORY } from '../process/push-memory.js';
import { folderSize } from '../storage/folder-size.js';
import { RepositoryLocation } from '../storage/repository-location.js';
import { copyRepository, isFilled } from './copy.js';
import { FetchProgress, remoteFailure } from './fetch-output.js';
import { callTo, type Remote, type RemoteCall } from './remote.js';

const HOUR_MS = 60 * 60_000;

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

const TOO_MUCH_MEMORY =
  'The objects of the import take too much memory: unpacked, they are far larger than what was sent.';
const TOO_MANY_BYTES = 'The import is too large.';

/**
 * Clones into a folder next to the repository and copies the result, so that a failed fetch does not change the
 * repository.
 * @throws RemoteError
 * @throws ImportTooLargeError when the objects exceed a limit
 * @throws the error of `admit`
 */
export async function fetchRepository(
  to: RepositoryLocation,
  remote: Remote,
  options: FetchOptions,
): Promise<void> {
  const call = callTo(to.runtime, remote);
  await to.identity();
  if (await isFilled(to)) return;
  // `removeLeftoverFolders` deletes folders of this name that killed processes have left.
  const staging = new RepositoryLocation(`${to.path}.creating-${randomUUID()}`, to.runtime);
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
        stopMemory = staging.runtime.shared(PUSH_MEMORY).watch({
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
  // Without packets the server does not speak the protocol, and git did not check the objects.
  if (!packets.any) throw new RemoteError('unsupported');
  if (objectLimits === undefined) return;
  const terms = { what: 'import', limits: objectLimits } as const;
  const excess = await exceededLimit(staging, join(staging.path, 'objects'), terms);
  if (excess !== null) throw new ImportTooLargeError(excess);
}

/** Removes the messages of the server from an error, which may contain anything. */
function withoutServerMessages(error: unknown): unknown {
  if (error instanceof GitTimeoutError) return new RemoteError('too-long');
  if (error instanceof GitProcessError) return new RemoteError(remoteFailure(error.stderr));
  return error;
}
