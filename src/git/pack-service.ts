import type { ChildProcess } from 'node:child_process';
import { MAX_LEARNED_BYTES } from './advertisements.js';
import { ClientPace } from './client-pace.js';
import {
  deliver,
  expectErrors,
  feed,
  IdleLimit,
  whenClientGone,
  type ClientOutput,
  type ClientStreams,
} from './client-streams.js';
import { gitCommands, type GitCommand, type PackServiceName } from './command-table.js';
import { exitOf, stderrTail, stopGroup } from './launcher.js';
import { FLUSH_PACKET, pktLine } from './pkt-line.js';
import { acceptedProtocol, protocolEnvironment } from './protocol.js';
import type { RefStore } from './ref-store.js';
import type { RepositoryLocation, GitRuntime } from './runtime.js';

export interface PackResult {
  /** Null when a signal ended git. */
  exitCode: number | null;
  /** The last few kilobytes. */
  stderr: string;
}

export interface UploadPackOptions extends ClientStreams {
  /** True over HTTP, where every request stands alone; false over SSH. */
  stateless: boolean;
  /** The client's `Git-Protocol` or GIT_PROTOCOL; anything unknown is passed over. */
  protocol?: string | undefined;
}

export interface AdvertiseOptions extends ClientOutput {
  service: PackServiceName;
  protocol?: string | undefined;
}

/** What goes before an advertisement over HTTP; nothing for fetches in protocol version 2. */
export function advertisementHeader(service: PackServiceName, protocol?: string): Buffer {
  if (service === 'git-upload-pack' && acceptedProtocol(protocol) === 'version=2') {
    return Buffer.alloc(0);
  }
  return Buffer.concat([pktLine(`# service=${service}\n`), FLUSH_PACKET]);
}

/** Writes the list of refs and abilities, as for `info/refs`; the header not included. */
export async function advertise(
  location: RepositoryLocation,
  refs: RefStore,
  options: AdvertiseOptions,
): Promise<PackResult> {
  expectErrors(options);
  await location.identity();
  const { service, protocol } = options;
  const { advertisements, launcher } = location.runtime;
  const own = await advertisements.of(service, protocol, refs);
  if (own !== null) return say(own, options);
  const child = launcher.spawn(
    gitCommands.advertise(service, location.path),
    ['ignore', 'pipe', 'pipe'],
    protocolEnvironment(protocol),
  );
  const heard: Buffer[] = [];
  let size = 0;
  const result = await converse(child, options, location.runtime, (chunk) => {
    if (size < MAX_LEARNED_BYTES) heard.push(chunk);
    size += chunk.length;
  });
  const beginning = Buffer.concat(heard).subarray(0, MAX_LEARNED_BYTES);
  if (result.exitCode === 0) advertisements.learn(service, protocol, beginning);
  return result;
}

async function say(parts: Iterable<Buffer>, { output, signal }: ClientOutput): Promise<PackResult> {
  const gone = signal ?? new AbortController().signal;
  for (const part of parts) {
    if (!gone.aborted) await deliver(output, part, gone);
  }
  return { exitCode: 0, stderr: '' };
}

/** Serves a clone or fetch, streaming both ways; git is stopped when the client breaks off. */
export async function uploadPack(
  location: RepositoryLocation,
  options: UploadPackOptions,
): Promise<PackResult> {
  expectErrors(options);
  await location.identity();
  const command = gitCommands.uploadPack(location.path, options.stateless);
  const child = startPiped(location, command, options.protocol);
  return converse(child, options, location.runtime);
}

function startPiped(
  location: RepositoryLocation,
  command: GitCommand,
  protocol: string | undefined,
): ChildProcess {
  return location.runtime.launcher.spawn(
    command,
    ['pipe', 'pipe', 'pipe'],
    protocolEnvironment(protocol),
  );
}

/**
 * Streams both ways until git has ended. Git is stopped when the client breaks off, reads too slowly or
 * asks for too long, and when nothing moves for a while.
 */
export async function converse(
  child: ChildProcess,
  client: ClientOutput & Partial<Pick<ClientStreams, 'input'>>,
  limits: Pick<GitRuntime, 'streamIdleMs' | 'clientRate' | 'negotiationMs'>,
  hear?: (chunk: Buffer) => void,
): Promise<PackResult> {
  const stderr = stderrTail(child.stderr);
  const ended = exitOf(child);
  // Awaited only behind the output, which a process that did not start has none of.
  ended.catch(() => undefined);
  const gone = new AbortController();
  const leave = (): void => {
    gone.abort();
    void stopGroup(child);
  };
  const idle = new IdleLimit(limits.streamIdleMs, leave);
  let isDelivering = false;
  const pace = new ClientPace(limits.clientRate, () => isDelivering, leave);
  const negotiationEnd = performance.now() + limits.negotiationMs;
  const heard = (): void => {
    idle.touch();
    if (performance.now() > negotiationEnd) leave();
  };
  client.input?.on('data', heard);
  if (client.input && child.stdin) feed(client.input, child.stdin);
  const stopWatching = whenClientGone(client, leave);
  try {
    for await (const chunk of child.stdout as AsyncIterable<Buffer>) {
      hear?.(chunk);
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
    client.input?.off('data', heard);
    stopWatching();
  }
}
