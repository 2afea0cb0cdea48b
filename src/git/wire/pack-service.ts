import type { ChildProcess } from 'node:child_process';
import { type GitCommand, gitCommands, type PackServiceName } from '../process/command-table.js';
import { type Setting, withSettings } from '../process/environment.js';
import { exitOf, IdleLimit, stderrTail, stopGroup } from '../process/launcher.js';
import type { GitLimits } from '../process/runtime.js';
import type { RefStore } from '../refs/ref-store.js';
import type { RepositoryLocation } from '../storage/repository-location.js';
import {
  acceptedProtocol,
  ADVERTISEMENTS,
  MAX_LEARNED_BYTES,
  protocolEnvironment,
} from './advertisements.js';
import {
  type ClientOutput,
  ClientPace,
  type ClientStreams,
  deliver,
  expectErrors,
  feed,
  onClientDisconnect,
} from './client-streams.js';
import { FLUSH_PACKET, pktLine } from './pkt-line.js';
import { type ConversationListener, FetchTraffic } from './traffic.js';

export interface PackResult {
  /** Null when a signal ended git. */
  exitCode: number | null;
  /** The last few kilobytes. */
  stderr: string;
}

export interface UploadPackOptions extends ClientStreams {
  /** True over HTTP, where requests are independent; false over SSH. */
  stateless: boolean;
  /** The client's `Git-Protocol` or GIT_PROTOCOL; unknown values are ignored. */
  protocol?: string | undefined;
  /** Called when git begins to send a pack, at most once. */
  onPackBegins?: (() => void) | undefined;
}

export interface AdvertiseOptions extends ClientOutput {
  service: PackServiceName;
  protocol?: string | undefined;
}

/** Returns the header of an advertisement over HTTP, which is empty for fetches in protocol version 2. */
export function advertisementHeader(service: PackServiceName, protocol?: string): Buffer {
  if (service === 'git-upload-pack' && acceptedProtocol(protocol) === 'version=2') {
    return Buffer.alloc(0);
  }
  return Buffer.concat([pktLine(`# service=${service}\n`), FLUSH_PACKET]);
}

/** Writes the advertisement of refs and capabilities, as for `info/refs`, without the header. */
export async function advertise(
  location: RepositoryLocation,
  refs: RefStore,
  options: AdvertiseOptions,
): Promise<PackResult> {
  expectErrors(options);
  await location.identity();
  const { service, protocol } = options;
  const { launcher } = location.runtime;
  const advertisements = location.runtime.shared(ADVERTISEMENTS);
  const own = await advertisements.create(service, protocol, refs);
  if (own !== null) return writeParts(own, options);
  const child = launcher.spawn(
    gitCommands.advertise(service, location.path),
    ['ignore', 'pipe', 'pipe'],
    protocolEnvironment(protocol),
  );
  const output: Buffer[] = [];
  let size = 0;
  const onOutput = (chunk: Buffer): void => {
    if (size < MAX_LEARNED_BYTES) output.push(chunk);
    size += chunk.length;
  };
  const result = await converse(child, options, location.runtime.limits, { onOutput });
  const beginning = Buffer.concat(output).subarray(0, MAX_LEARNED_BYTES);
  if (result.exitCode === 0) advertisements.learn(service, protocol, beginning);
  return result;
}

async function writeParts(
  parts: Iterable<Buffer>,
  { output, signal }: ClientOutput,
): Promise<PackResult> {
  const gone = signal ?? new AbortController().signal;
  for (const part of parts) {
    if (!gone.aborted) await deliver(output, part, gone);
  }
  return { exitCode: 0, stderr: '' };
}

/** Serves a clone or fetch. Streams both ways, and stops git when the client disconnects. */
export async function uploadPack(
  location: RepositoryLocation,
  options: UploadPackOptions,
): Promise<PackResult> {
  expectErrors(options);
  await location.identity();
  const command = gitCommands.uploadPack(location.path, options.stateless);
  const child = startPiped(location, command, options.protocol);
  const conversation = { service: 'upload-pack', isStateless: options.stateless } as const;
  const { observer } = location.runtime.launcher;
  const traffic = new FetchTraffic(observer, conversation, options.onPackBegins);
  try {
    return await converse(child, options, location.runtime.limits, traffic);
  } finally {
    traffic.end();
  }
}

/** What looks for differences takes `pack.windowMemory` in each thread: of a crowd, one has to be enough. */
const FOR_FETCHES: readonly Setting[] = [['pack.threads', '1']];

function startPiped(
  location: RepositoryLocation,
  command: GitCommand,
  protocol: string | undefined,
): ChildProcess {
  return location.runtime.launcher.spawn(command, ['pipe', 'pipe', 'pipe'], {
    ...protocolEnvironment(protocol),
    ...withSettings(FOR_FETCHES),
  });
}

/**
 * Streams between git and a client until git has ended. Stops git when the client disconnects, reads too slowly,
 * negotiates for too long, or neither side sends anything for too long.
 */
export async function converse(
  child: ChildProcess,
  client: ClientOutput & Partial<Pick<ClientStreams, 'input'>>,
  limits: GitLimits,
  { onInput: observeInput, onOutput, onExceeded }: ConversationListener = {},
): Promise<PackResult> {
  const stderr = stderrTail(child.stderr);
  const ended = exitOf(child);
  // Awaited after the output; a process that did not start has none.
  ended.catch(() => undefined);
  const gone = new AbortController();
  const leave = (): void => {
    gone.abort();
    void stopGroup(child);
  };
  const idle = new IdleLimit(limits.streamIdleMs, leave);
  let isDelivering = false;
  const onSlow = (): void => {
    onExceeded?.('git_client_rate');
    leave();
  };
  const pace = new ClientPace(limits.clientRate, () => isDelivering, onSlow);
  const negotiationEnd = performance.now() + limits.negotiationMs;
  const onInput = (chunk: Buffer): void => {
    observeInput?.(chunk);
    idle.touch();
    if (performance.now() > negotiationEnd) leave();
  };
  client.input?.on('data', onInput);
  if (client.input && child.stdin) feed(client.input, child.stdin);
  const stopWatching = onClientDisconnect(client, leave);
  try {
    for await (const chunk of child.stdout as AsyncIterable<Buffer>) {
      onOutput?.(chunk);
      isDelivering = true;
      if (!gone.signal.aborted) await deliver(client.output, chunk, gone.signal);
      isDelivering = false;
      pace.moved(chunk.length);
      idle.touch();
    }
    return { exitCode: await ended, stderr: stderr() };
  } finally {
    idle.stop();
    pace.stop();
    client.input?.off('data', onInput);
    stopWatching();
  }
}
