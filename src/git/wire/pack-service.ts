import type { ChildProcess } from 'node:child_process';
import { GitBusyError, GitProtocolError } from '../model/errors.js';
import { type GitCommand, gitCommands, type PackServiceName } from '../process/command-table.js';
import { type GitSetting, withSettings } from '../process/environment.js';
import { GIT_MEMORY } from '../process/git-memory.js';
import type { ClientBudget } from '../process/observer.js';
import { exitOf, IdleLimit, stderrTail, stopGroup } from '../process/launcher.js';
import type { RuntimeLimits } from '../process/runtime.js';
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
import { type FetchGate, fetchGate, type PackSlot } from './fetch-gate.js';
import { errorPacket, FLUSH_PACKET, pktLine } from './pkt-line.js';
import {
  beginsPack,
  type ConversationListener,
  FetchTraffic,
  RefPrefixCounter,
} from './traffic.js';

export interface PackResult {
  /** Null when a signal ended git. */
  exitCode: number | null;
  /** The last few kilobytes. */
  stderr: string;
}

const ENDED_BY_REFUSAL = 128;

/** The result of a conversation that is refused as git would refuse it. */
export const refused = (reason: string): PackResult => ({
  exitCode: ENDED_BY_REFUSAL,
  stderr: reason,
});

export interface UploadPackOptions extends ClientStreams {
  /** True over HTTP, where requests are independent; false over SSH. */
  stateless: boolean;
  /** The client's `Git-Protocol` or GIT_PROTOCOL; unknown values are ignored. */
  protocol?: string | undefined;
  /** Given back when git begins to send the pack. Over HTTP it is taken before; over SSH, when git can begin its work. */
  slot?: PackSlot | undefined;
}

export interface AdvertiseOptions extends ClientOutput {
  service: PackServiceName;
  protocol?: string | undefined;
  /** Called with the bytes that the client has taken. */
  onSent?: (bytes: number) => void;
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
    options.onSent?.(chunk.length);
  };
  const result = await converse(child, options, location.runtime.limits, { onOutput });
  const beginning = Buffer.concat(output).subarray(0, MAX_LEARNED_BYTES);
  if (result.exitCode === 0) advertisements.learn(service, protocol, beginning);
  return result;
}

async function writeParts(
  parts: Iterable<Buffer>,
  { output, signal, onSent }: AdvertiseOptions,
): Promise<PackResult> {
  const gone = signal ?? new AbortController().signal;
  for (const part of parts) {
    if (!gone.aborted) await deliver(output, part, gone);
    onSent?.(part.length);
  }
  return { exitCode: 0, stderr: '' };
}

/** What a client may send before git answers: some 600,000 commits that it wants or has; bytes. */
const MAX_UNANSWERED = 32 * 1024 * 1024;
const TOO_LONG = 'The request is too long: at most 33,554,432 bytes may be sent before an answer.';
/**
 * How many ref prefixes a client may send; git compares each with every ref. Its own client sends six for each ref that it
 * fetches by name.
 */
const MAX_REF_PREFIXES = 4_096;
const TOO_MANY_PREFIXES =
  'The fetch names too many refs: at most 4,096 prefixes may be sent, six for each ref. Fetch them in parts.';
const TOO_MUCH_MEMORY = 'The request takes too much memory.';
/** What git reports of a request of version 2 for something that it did not offer. */
const NOT_OFFERED =
  /^fatal: ((?:unknown capability|invalid command|unexpected line:|mismatched object format:) [^\n]+)$/m;
const NO_ROOM =
  'The fetches of your address take too much memory. Try again when others have ended.';
/** The same amid a pack, for clients that take it in a side band, as git does. */
const FATAL_IN_PACK = pktLine(`\x03${NO_ROOM}\n`);
/** How long a client may take to read why it is refused; one that reads nothing would keep its slot. */
const REFUSAL_MS = 10_000;
/** How long a fetch waits for memory that others of its address use. */
const ROOM_MS = 60_000;

/** A slot that is taken only when other fetches of the client's address leave memory. */
class SlotWithRoom implements PackSlot {
  constructor(
    private readonly slot: PackSlot,
    private readonly location: RepositoryLocation,
    private readonly gone: AbortSignal | undefined,
  ) {}

  get isTaken(): boolean {
    return this.slot.isTaken;
  }

  async take(): Promise<void> {
    await this.slot.take();
    const limit = AbortSignal.timeout(ROOM_MS);
    try {
      const signal = this.gone ? AbortSignal.any([this.gone, limit]) : limit;
      await this.location.whenReadersHaveRoom(signal);
    } catch {
      throw new GitBusyError(NO_ROOM);
    }
  }

  giveBack(): void {
    this.slot.giveBack();
  }
}

/**
 * Serves a clone or fetch. Streams both ways, and stops git when the client disconnects.
 * @throws RepositoryMissingError
 * @throws GitBusyError over SSH, when other fetches of the client's address take too much memory
 * @throws whatever `slot.take` throws
 */
export async function uploadPack(
  location: RepositoryLocation,
  options: UploadPackOptions,
): Promise<PackResult> {
  expectErrors(options);
  await location.identity();
  const slot = options.slot && new SlotWithRoom(options.slot, location, options.signal);
  if (options.stateless) {
    try {
      await slot?.take();
    } catch (error) {
      // The response has begun, so that only a packet of git can carry the reason.
      if (error instanceof GitBusyError) return refuse(options, errorPacket(NO_ROOM), NO_ROOM);
      throw error;
    }
  }
  return serveFetch(location, { ...options, slot });
}

async function serveFetch(
  location: RepositoryLocation,
  options: UploadPackOptions,
): Promise<PackResult> {
  const { slot, stateless, protocol } = options;
  const command = gitCommands.uploadPack(location.path, stateless);
  const child = startPiped(location, command, protocol);
  const conversation = { service: 'upload-pack', isStateless: stateless } as const;
  const { limits, launcher } = location.runtime;
  const traffic = new FetchTraffic(launcher.observer, conversation);
  const gate = slot && !stateless ? fetchGate(slot, acceptedProtocol(protocol)) : undefined;
  let unanswered = 0;
  const onOutput = (chunk: Buffer): void => {
    unanswered = 0;
    traffic.onOutput(chunk);
    if (slot?.isTaken && beginsPack(chunk)) slot.giveBack();
  };
  const excess = new AbortController();
  const prefixes = new RefPrefixCounter();
  const onInput = (chunk: Buffer): void => {
    traffic.onInput(chunk);
    unanswered += chunk.length;
    if (unanswered > MAX_UNANSWERED) excess.abort(TOO_LONG);
    if (prefixes.push(chunk) > MAX_REF_PREFIXES) excess.abort(TOO_MANY_PREFIXES);
  };
  const { onExceeded } = traffic;
  const refuseExcess = (budget: ClientBudget, reason: string): Promise<PackResult> => {
    onExceeded(budget);
    return refuse(options, errorPacket(reason), reason);
  };
  const stopMemory = location.runtime.shared(GIT_MEMORY).watch({
    child,
    received: () => traffic.receivedBytes,
    isAlone: true,
    onExceeded: () => excess.abort(TOO_MUCH_MEMORY),
  });
  location.watchReader(child, () => excess.abort(NO_ROOM));
  try {
    const signal = AbortSignal.any([excess.signal, ...(options.signal ? [options.signal] : [])]);
    const client = { ...options, gate, signal };
    const result = await converse(child, client, limits, { onInput, onOutput, onExceeded });
    const { reason } = excess.signal as { reason: unknown };
    if (reason === TOO_LONG || reason === TOO_MANY_PREFIXES) {
      return await refuseExcess('fetch_request', reason);
    }
    if (reason === TOO_MUCH_MEMORY) return await refuseExcess('fetch_memory', TOO_MUCH_MEMORY);
    if (reason === NO_ROOM) {
      const hasBegun = traffic.operation !== null;
      return await refuse(options, hasBegun ? FATAL_IN_PACK : errorPacket(NO_ROOM), NO_ROOM);
    }
    if (result.exitCode === 0) return result;
    // A git that finds no repository, or is asked for what it did not offer, sends its client no reason.
    await location.assertExists();
    const notOffered = NOT_OFFERED.exec(result.stderr)?.[1];
    if (notOffered !== undefined) await refuse(options, errorPacket(notOffered), notOffered);
    return result;
  } catch (error) {
    if (error instanceof GitProtocolError) return refused(error.message);
    throw error;
  } finally {
    stopMemory();
    traffic.end();
  }
}

async function refuse(
  { input, output, signal }: UploadPackOptions,
  packet: Buffer,
  reason: string,
): Promise<PackResult> {
  input.resume();
  const limit = AbortSignal.timeout(REFUSAL_MS);
  await deliver(output, packet, signal ? AbortSignal.any([signal, limit]) : limit);
  return refused(reason);
}

/** What looks for differences takes `pack.windowMemory` in each thread: of a crowd, one has to be enough. */
const FOR_FETCHES: readonly GitSetting[] = [['pack.threads', '1']];

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

/** The client of a conversation. */
interface Client extends ClientOutput, Partial<Pick<ClientStreams, 'input'>> {
  /** What its bytes pass through on their way to git. */
  gate?: FetchGate | undefined;
  slot?: PackSlot | undefined;
}

/** What git may send while it has a slot and its client does not read; bytes. */
const MAX_AHEAD = 4 * 1024 * 1024;

/**
 * Streams between git and a client until git has ended. Stops git when the client disconnects, reads too slowly,
 * negotiates for too long, or neither side sends anything for too long.
 * @throws the error of the gate
 */
export async function converse(
  child: ChildProcess,
  client: Client,
  limits: RuntimeLimits,
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
  const { input, gate, slot } = client;
  input?.on('data', onInput);
  gate?.on('error', leave);
  if (input && child.stdin) feed(input, child.stdin, gate);
  const stopWatching = onClientDisconnect(client, leave);
  try {
    for await (const chunk of child.stdout as AsyncIterable<Buffer>) {
      onOutput?.(chunk);
      gate?.onOutput(chunk);
      isDelivering = true;
      const ahead = slot?.isTaken ? MAX_AHEAD : 0;
      if (!gone.signal.aborted) await deliver(client.output, chunk, gone.signal, ahead);
      isDelivering = false;
      gate?.onDelivered();
      pace.moved(chunk.length);
      idle.touch();
    }
    const exitCode = await ended;
    if (gate?.errored) throw gate.errored;
    return { exitCode, stderr: stderr() };
  } catch (error) {
    leave();
    throw error;
  } finally {
    idle.stop();
    pace.stop();
    gate?.destroy();
    input?.off('data', onInput);
    stopWatching();
  }
}
