import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { gitCommands } from './command-table.js';
import { copyRepository, isFilled } from './copy.js';
import { GitProcessError, GitTimeoutError, RemoteError } from './errors.js';
import { receivedPercent } from './fetch-progress.js';
import { remoteFailure } from './remote-failure.js';
import { callTo, type Remote } from './remote.js';
import { Place } from './room.js';

const HOUR_MS = 60 * 60_000;

export interface FetchOptions {
  signal?: AbortSignal;
  /** An hour unless told, in milliseconds. */
  timeoutMs?: number;
  /** Hears how many per cent of the objects have arrived, each number once. */
  onProgress?: (percent: number) => void;
}

/**
 * Clones into a folder beside the repository and takes over what came: when the fetch fails, not a
 * byte of it was in the repository.
 */
export async function fetchRepository(
  to: Place,
  remote: Remote,
  options: FetchOptions,
): Promise<void> {
  const call = callTo(to.room, remote);
  await to.identity();
  if (await isFilled(to)) return;
  // The sweep of half-made repositories knows the name, should this process be killed.
  const staging = new Place(`${to.path}.creating-${randomUUID()}`, to.room);
  const packets = { any: false };
  try {
    const clone = {
      timeoutMs: options.timeoutMs ?? HOUR_MS,
      environment: { ...call.environment, GIT_TRACE_PACKET: '3' },
      onThird: () => {
        packets.any = true;
      },
      onStderr: receivedPercent(options.onProgress ?? (() => undefined)),
      signal: options.signal,
    };
    await to.run(gitCommands.cloneBare(call.address, staging.path), clone, 'transfer');
    // Else the server only handed out files, which nobody has checked; or it was any page of the web.
    if (!packets.any) throw new RemoteError('unsupported');
    await copyRepository(staging, to, options.signal);
  } catch (error) {
    throw withoutWords(error);
  } finally {
    await rm(staging.path, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** git repeats what the server says, and a server may say whatever it was told. */
function withoutWords(error: unknown): unknown {
  if (error instanceof GitTimeoutError) return new RemoteError('too-long');
  if (error instanceof GitProcessError) return new RemoteError(remoteFailure(error.stderr));
  return error;
}
