import { IdleLimit } from '../process/launcher.js';
import { type GitRuntime, SharedState } from '../process/runtime.js';
import { ClientPace, type ClientStreams, onClientDisconnect } from './client-streams.js';
import { PushRequest } from './push-request.js';
import type { Traffic } from './traffic.js';

const MIB = 1024 * 1024;
/** What a request may take of the memory whatever others take: more than 10,000 refs with names of usual length. */
const OWN_BYTES = 2 * MIB;
/** What larger requests of a process may take together. */
const SHARED_BYTES = 64 * MIB;
const TOO_MANY = 'Too many pushes of very many refs are under way. Try again later.';

/** The memory of large requests, which is held until their pushes have ended. */
class RequestBytes {
  private taken = 0;

  /** Starts to count for a request. */
  open(): RequestShare {
    let own = 0;
    return {
      grow: (size) => {
        const more = Math.max(0, size - OWN_BYTES) - own;
        if (this.taken + more > SHARED_BYTES) return false;
        this.taken += more;
        own += more;
        return true;
      },
      release: () => {
        this.taken -= own;
        own = 0;
      },
    };
  }
}

interface RequestShare {
  /** Returns whether there is room for a request of this size; bytes. */
  grow: (size: number) => boolean;
  release: () => void;
}

const REQUEST_BYTES = new SharedState(() => new RequestBytes());

interface Reading {
  runtime: GitRuntime;
  client: ClientStreams;
  traffic: Traffic;
  /** Runs before the client is awaited, for instance to send it the refs. Returns whether it has succeeded. */
  begin: (signal: AbortSignal, onSent: (bytes: number) => void) => Promise<boolean>;
}

/**
 * Reads what precedes the pack of a push, from both transports, and leaves the input paused behind it.
 * @param serve gets the request; its memory counts until it ends
 * @returns null when the client has left or is too slow
 */
export async function withPushRequest<T>(
  reading: Reading,
  serve: (request: PushRequest) => Promise<T>,
): Promise<T | null> {
  const share = reading.runtime.shared(REQUEST_BYTES).open();
  try {
    const request = await read(reading, share);
    return request === null ? null : await serve(request);
  } finally {
    share.release();
  }
}

async function read(
  { runtime, client, traffic, begin }: Reading,
  share: RequestShare,
): Promise<PushRequest | null> {
  const left = new AbortController();
  const leave = (): void => left.abort();
  const { streamIdleMs, clientRate } = runtime.limits;
  const idle = new IdleLimit(streamIdleMs, leave);
  const onSlow = (): void => {
    traffic.onExceeded('git_client_rate');
    leave();
  };
  const pace = new ClientPace(clientRate, () => true, onSlow);
  const onMoved = (bytes: number): void => {
    idle.touch();
    pace.moved(bytes);
  };
  const stopWatching = onClientDisconnect(client, leave);
  try {
    if (!(await begin(left.signal, onMoved))) return null;
    const request = new PushRequest();
    const take = (chunk: Buffer): boolean => {
      traffic.onInput(chunk);
      onMoved(chunk.length);
      request.push(chunk);
      if (!share.grow(request.size)) request.refuse(TOO_MANY);
      return request.isComplete;
    };
    await readUntil(client.input, left.signal, take);
    if (left.signal.aborted) return null;
    request.end();
    return request;
  } finally {
    idle.stop();
    pace.stop();
    stopWatching();
  }
}

/** Reads until `take` returns true, the input ends, or the signal is aborted. Each chunk comes in a turn of its own. */
function readUntil(
  input: ClientStreams['input'],
  signal: AbortSignal,
  take: (chunk: Buffer) => boolean,
): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      input.off('data', onData);
      input.off('end', done);
      signal.removeEventListener('abort', done);
      input.pause();
      resolve();
    };
    const onData = (chunk: Buffer): void => {
      if (take(chunk)) done();
    };
    if (signal.aborted) {
      resolve();
      return;
    }
    input.once('end', done);
    signal.addEventListener('abort', done, { once: true });
    input.on('data', onData);
  });
}
