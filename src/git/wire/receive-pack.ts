import type { ChildProcess } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Duplex, Readable, Writable } from 'node:stream';
import { QuarantineView } from '../history/quarantine.js';
import { GitProtocolError, RepositoryMissingError } from '../model/errors.js';
import type { RefUpdate } from '../model/types.js';
import { exceededLimit, type ObjectLimits } from '../objects/object-limits.js';
import { gitCommands } from '../process/command-table.js';
import { type GitSetting, withSettings } from '../process/environment.js';
import {
  asError,
  exitOf,
  IdleLimit,
  lowerPriority,
  stderrTail,
  stopGroup,
} from '../process/launcher.js';
import { GIT_MEMORY } from '../process/git-memory.js';
import { limitProcessorTime } from '../process/git-time.js';
import { namesIn } from '../storage/files.js';
import type { RefStore } from '../refs/ref-store.js';
import type { RepositoryLocation } from '../storage/repository-location.js';
import { protocolEnvironment } from './advertisements.js';
import {
  ClientPace,
  type ClientStreams,
  deliver,
  expectErrors,
  feed,
  deliverParts,
  onClientDisconnect,
} from './client-streams.js';
import { advertise, type PackResult, refused } from './pack-service.js';
import {
  acceptGuarded,
  acceptPush,
  type HookReport,
  printWhileWaiting,
  readHookReport,
  refusePush,
  requireHooks,
} from './pre-receive-hook.js';
import { errorPacket } from './pkt-line.js';
import {
  HeldOutput,
  type PushReport,
  readReport,
  reportRefusal,
  rewriteReport,
} from './push-report.js';
import type { PushRequest } from './push-request.js';
import { withPushRequest } from './read-push-request.js';
import { Traffic } from './traffic.js';

/** How long git may take to move refs after the decision. */
const APPLY_LIMIT_MS = 10 * 60_000;
/** How long git may take to remove the objects of an abandoned or stopped push. */
const ABANDON_LIMIT_MS = 10_000;
/** Longer than the five seconds between progress messages of git. */
const WORKING_MS = 10_000;
const TOO_MUCH_MEMORY =
  'The objects of the push take too much memory: unpacked, they are far larger than what was sent.';
const TOO_MUCH_TIME =
  'The objects of the push take too much processor time. Push the history in parts.';
const REFUSED = 'No ref of the push may be written.';
const REMOVED = 'The repository was removed meanwhile.';
const UNCHECKED = 'The push could not be checked; nothing was changed.';
/** Git's own reason for a push whose objects it cannot take. */
const UNPACKER_ERROR = 'unpacker error';
const SHALLOW = `${UNPACKER_ERROR}; the clone is shallow, git fetch --unshallow may help`;
/** The reason of a ref that could move, in an atomic push with others that cannot. */
const NOT_ATOMIC = 'atomic push failed';
const CURRENT_BRANCH =
  /^(deletion of the current branch prohibited|refusing to delete the current)/;

export type GateDecision =
  | { accept: true }
  /** One reason for the whole push, or one for each refused ref. */
  | { accept: false; reasons: ReadonlyMap<string, string> | string };

/**
 * @param commands without the refs that are refused one by one
 * @param print shows the pusher a line while the decision is awaited, if the client can
 * @param pushOptions what the client says of the push (`git push -o`): at most 64 texts of 4 KiB
 */
export type Gate = (
  commands: RefUpdate[],
  quarantine: QuarantineView,
  print: (line: string) => void,
  pushOptions: readonly string[],
) => Promise<GateDecision>;

export interface PushOutcome {
  /** Null when a signal ended git; some refs may have moved nevertheless. */
  exitCode: number | null;
  /** The result for each ref; null when the client requested no report or git wrote none. */
  report: PushReport | null;
}

export interface ReceivePackOptions extends ClientStreams {
  stateless: boolean;
  protocol?: string | undefined;
  /** git refuses a larger push and removes its objects. */
  maxBytes?: number | undefined;
  /** A push with larger objects is refused and its objects are removed. */
  objectLimits?: ObjectLimits | undefined;
  /** Decides about a push after all its objects have arrived, and before refs move. */
  gate: Gate;
  /**
   * Called after the decision, whenever git has locked refs and before it moves them; these do not move if it fails.
   * Costs two processes for each ref. By default nothing asks again.
   */
  confirm?: (() => Promise<void>) | undefined;
  /**
   * Called exactly once for each push that the gate accepted, after git has ended and before the client gets its
   * report; also when the client disconnected before the decision, so that no ref has moved. When it fails, the
   * client gets no report.
   */
  settle: (outcome: PushOutcome) => Promise<{ messages?: readonly string[] }>;
}

/**
 * Serves a push. Git gets it when what precedes the pack has been read and is allowed. Refs move only after the gate
 * has accepted it; from then on a disconnect of the client does not stop git.
 * @throws GitUnavailableError when the hook cannot be run
 * @throws RepositoryMissingError
 * @throws the error of the gate or of `settle`, after git has ended
 */
export async function receivePack(
  location: RepositoryLocation,
  refs: RefStore,
  options: ReceivePackOptions,
): Promise<PackResult> {
  expectErrors(options);
  await location.identity();
  await requireHooks(location.runtime.folders, options.confirm !== undefined);
  const { runtime } = location;
  const conversation = { service: 'receive-pack', isStateless: options.stateless } as const;
  const traffic = new Traffic(runtime.launcher.observer, conversation);
  const begin = async (signal: AbortSignal, onSent: (bytes: number) => void): Promise<boolean> => {
    if (options.stateless) return true;
    const { output, protocol } = options;
    const advertisement = {
      service: 'git-receive-pack',
      output,
      protocol,
      signal,
      onSent,
    } as const;
    return (await advertise(location, refs, advertisement)).exitCode === 0;
  };
  try {
    const served = await withPushRequest({ runtime, client: options, traffic, begin }, (request) =>
      servePush(location, options, { request, traffic }),
    );
    return served ?? refused('The client has left, or is too slow.');
  } finally {
    traffic.end();
  }
}

/** A push of which everything before the pack has been read. */
interface ReadPush {
  request: PushRequest;
  traffic: Traffic;
}

async function servePush(
  location: RepositoryLocation,
  options: ReceivePackOptions,
  push: ReadPush,
): Promise<PackResult> {
  const { request, traffic } = push;
  const { refusal, changed, refusedRefs } = request;
  if (refusal !== null) {
    traffic.onExceeded('push_request');
    return refuse(options, request, refusal);
  }
  if (refusedRefs > 0 && (changed === 0 || request.isAtomic)) {
    return refuse(options, request, null);
  }
  if (changed === 0) return { exitCode: 0, stderr: '' };
  const child = startReceivePack(location, options);
  lowerPriority(child, 'push');
  return new Push(location, options, { ...push, child }).serve();
}

/**
 * Answers a push that git does not get, and reads and discards the rest of it, so that the client reads the answer.
 * @param reason null if refs are refused one by one
 */
async function refuse(
  { input, output, signal }: ReceivePackOptions,
  request: PushRequest,
  reason: string | null,
): Promise<PackResult> {
  input.resume();
  const gone = signal ?? new AbortController().signal;
  const changed = { refs: request.changedRefs(), reason: reason ?? NOT_ATOMIC };
  const others = reason === null ? [...request.refused, changed] : [changed];
  const messages = reason === null ? [] : [reason];
  if (request.wantsReport || request.hasBands) {
    await deliverParts(output, reportRefusal(request, reason ?? 'ok', { messages, others }), gone);
    return { exitCode: 0, stderr: reason ?? REFUSED };
  }
  if (reason !== null) await deliver(output, errorPacket(reason), gone);
  return refused(reason ?? REFUSED);
}

function startReceivePack(
  location: RepositoryLocation,
  { protocol, maxBytes, confirm }: ReceivePackOptions,
): ChildProcess {
  const { folders, launcher } = location.runtime;
  const hooks: GitSetting[] =
    confirm === undefined ? [] : [['core.hooksPath', folders.guardedHooks]];
  return launcher.spawn(
    gitCommands.receivePack(location.path),
    ['pipe', 'pipe', 'pipe', 'pipe', 'pipe'],
    { ...protocolEnvironment(protocol), ...withSettings([...limit(maxBytes), ...hooks]) },
  );
}

function limit(maxBytes = Infinity): GitSetting[] {
  return maxBytes === Infinity ? [] : [['receive.maxInputSize', String(maxBytes)]];
}

type Verdict =
  /** git ended before it ran the hook, or was stopped because of its memory or time. */
  | { kind: 'undecided' }
  | { kind: 'accepted' }
  | { kind: 'refused'; reasons: ReadonlyMap<string, string> | string; error?: Error };

class Push {
  private readonly request: PushRequest;
  private readonly child: ChildProcess;
  private readonly held = new HeldOutput();
  private readonly decided = new AbortController();
  private readonly stderr: () => string;
  private readonly ended: Promise<number | null>;
  private accepted = false;
  /** Whether the client has left before the decision. Git removes the objects then, and whatever reads them fails. */
  private isAbandoned = false;
  private readonly traffic: Traffic;
  /** Why git was stopped. */
  private excess: string | null = null;
  /** Whether git has all objects of the push, or has ended. */
  private hasArrived = false;
  private isDelivering = false;
  /** When git wrote last after the client had begun to send. */
  private lastWritten = -Infinity;
  private stopTime = (): void => undefined;
  private idle: IdleLimit | undefined;
  private pace: ClientPace | undefined;
  private limit: NodeJS.Timeout | undefined;

  constructor(
    private readonly location: RepositoryLocation,
    private readonly options: ReceivePackOptions,
    { request, traffic, child }: ReadPush & { child: ChildProcess },
  ) {
    this.request = request;
    this.traffic = traffic;
    this.child = child;
    this.stderr = stderrTail(child.stderr);
    this.ended = exitOf(child);
    this.ended.catch(() => undefined);
  }

  async serve(): Promise<PackResult> {
    const [stdin, , , asks, answers] = this.child.stdio as HookedStdio;
    const leave = (): void => {
      if (!this.accepted) this.abandon(stdin, answers);
      this.decided.abort();
    };
    const { streamIdleMs, clientRate } = this.location.runtime.limits;
    const idle = new IdleLimit(streamIdleMs, leave);
    const onSlow = (): void => {
      this.traffic.onExceeded('git_client_rate');
      leave();
    };
    const pace = new ClientPace(clientRate, () => this.isDelivering || this.isFed(stdin), onSlow);
    this.idle = idle;
    this.pace = pace;
    this.options.input.on('data', (chunk: Buffer) => {
      this.traffic.onInput(chunk);
      idle.touch();
      pace.moved(chunk.length);
    });
    for (const bytes of this.request.bytes()) stdin.write(bytes);
    feed(this.options.input, stdin);
    const stopMemory = this.limitMemory();
    this.stopTime = this.limitTime();
    const stopWatching = onClientDisconnect(this.options, leave);
    try {
      const pumped = this.pump();
      pumped.catch(() => undefined);
      const verdict = await this.decide(asks, answers);
      await pumped;
      const exitCode = await this.ended;
      await this.report(verdict, exitCode);
      return { exitCode, stderr: this.stderr() };
    } finally {
      idle.stop();
      pace.stop();
      stopMemory();
      this.stopTime();
      stopWatching();
      clearTimeout(this.limit);
    }
  }

  private limitMemory(): () => void {
    return this.location.runtime.shared(GIT_MEMORY).watch({
      child: this.child,
      received: () => this.traffic.receivedBytes,
      onExceeded: () => {
        this.traffic.onExceeded('push_memory');
        this.excess = TOO_MUCH_MEMORY;
        this.held.hold();
      },
    });
  }

  private limitTime(): () => void {
    const { pushTimeMs } = this.location.runtime.limits;
    return limitProcessorTime(pushTimeMs, {
      child: this.child,
      received: () => this.traffic.receivedBytes,
      onExceeded: () => {
        this.traffic.onExceeded('push_time');
        this.excess = TOO_MUCH_TIME;
        this.held.hold();
        // Without its child processes git looks at each ref once more.
        this.stopAfter(ABANDON_LIMIT_MS);
      },
    });
  }

  /**
   * Closes the streams of git, upon which it removes the received objects. Killed by a signal it would leave
   * them.
   */
  private abandon(stdin: Writable, answers: Duplex): void {
    this.isAbandoned = true;
    stdin.destroy();
    answers.end();
    this.stopAfter(ABANDON_LIMIT_MS);
  }

  private stopAfter(milliseconds: number): void {
    clearTimeout(this.limit);
    this.limit = setTimeout(() => void stopGroup(this.child), milliseconds);
  }

  private async pump(): Promise<void> {
    for await (const chunk of this.child.stdout as AsyncIterable<Buffer>) {
      // Over SSH git writes the list of refs before the client sends anything.
      if (this.traffic.receivedBytes > 0) this.lastWritten = performance.now();
      this.traffic.onOutput(chunk);
      this.isDelivering = true;
      await deliver(this.options.output, this.held.push(chunk), this.decided.signal);
      this.isDelivering = false;
      this.pace?.moved(chunk.length);
      this.idle?.touch();
    }
  }

  /** Returns whether git waits for more of the push, and is not working on what has arrived. */
  private isFed(stdin: Writable): boolean {
    if (this.hasArrived || stdin.destroyed || stdin.writableEnded) return false;
    return !stdin.writableNeedDrain && performance.now() - this.lastWritten > WORKING_MS;
  }

  private async decide(asks: Readable, answers: Duplex): Promise<Verdict> {
    // Read to its end, since otherwise the end of the process would not be noticed.
    answers.resume();
    answers.on('error', () => undefined);
    const verdict = await this.judge(asks, answers);
    if (verdict.kind === 'undecided') return verdict;
    this.accepted = verdict.kind === 'accepted';
    if (this.accepted) this.location.runtime.launcher.spare(this.child);
    this.held.hold();
    this.decided.abort();
    this.stopAfter(APPLY_LIMIT_MS);
    const { confirm } = this.options;
    if (verdict.kind === 'accepted' && confirm !== undefined) {
      acceptGuarded(asks, answers, confirm);
      return verdict;
    }
    asks.destroy();
    if (verdict.kind === 'accepted') acceptPush(answers);
    else refusePush(answers, textsOf(verdict.reasons));
    return verdict;
  }

  private async judge(asks: Readable, answers: Duplex): Promise<Verdict> {
    let asked: HookReport | null;
    try {
      asked = await readHookReport(asks);
    } catch (error) {
      const known = error instanceof GitProtocolError;
      return { kind: 'refused', reasons: known ? error.message : UNCHECKED, error: asError(error) };
    }
    this.hasArrived = true;
    // From here on git waits, and must not be stopped once it moves refs.
    this.stopTime();
    if (!asked) return { kind: 'undecided' };
    if (this.excess !== null) return { kind: 'refused', reasons: this.excess };
    this.traffic.operation = 'push';
    try {
      const view = new QuarantineView(
        this.location,
        this.child.pid ?? 0,
        asked.environment,
        () => this.isAbandoned,
      );
      const objects = this.objectFolder(asked);
      const excess = await this.exceededLimit(objects);
      if (excess !== null) {
        this.traffic.onExceeded('push_objects');
        return { kind: 'refused', reasons: excess };
      }
      if (objects !== null) await removeKeepFiles(objects);
      const print = (line: string): void => printWhileWaiting(answers, line);
      const { pushOptions } = this.request;
      const decision = await this.options.gate(asked.commands, view, print, pushOptions);
      if (decision.accept) return { kind: 'accepted' };
      return { kind: 'refused', reasons: decision.reasons };
    } catch (error) {
      if (error instanceof RepositoryMissingError) return { kind: 'refused', reasons: REMOVED };
      if (this.isAbandoned) return { kind: 'refused', reasons: UNCHECKED };
      return { kind: 'refused', reasons: UNCHECKED, error: asError(error) };
    }
  }

  /** Returns the folder of the pushed objects in quarantine; null for a push without objects. */
  private objectFolder({ environment }: HookReport): string | null {
    const folder = environment['GIT_OBJECT_DIRECTORY'];
    return folder === undefined ? null : resolve(this.location.path, folder);
  }

  private async exceededLimit(objects: string | null): Promise<string | null> {
    const { objectLimits } = this.options;
    if (objectLimits === undefined || objects === null) return null;
    return exceededLimit(this.location, objects, { what: 'push', limits: objectLimits });
  }

  /** Sends the held output, changed according to the decision. */
  private async report(verdict: Verdict, exitCode: number | null): Promise<void> {
    const output = this.held.take();
    if (verdict.kind === 'undecided') {
      // A git that finds no repository sends its client no reason.
      if (exitCode !== 0) await this.location.assertExists();
      const { excess } = this;
      if (excess === null) return this.send(output, this.undecidedReason);
      if (output.length === 0) return this.sendRefusal(excess);
      return this.send(output, () => excess);
    }
    if (verdict.kind === 'accepted') return this.settle(output, exitCode);
    const reason: ReasonOf = (ref, own) => reasonFor(verdict.reasons, ref) ?? own;
    await this.send(output, reason);
    if (verdict.error) throw verdict.error;
  }

  private async settle(output: Buffer, exitCode: number | null): Promise<void> {
    let messages: readonly string[];
    try {
      const settled = await this.options.settle({ exitCode, report: readReport(output) });
      messages = settled.messages ?? [];
    } catch (error) {
      this.options.output.destroy(asError(error));
      throw error;
    }
    const reason: ReasonOf = (_, own) =>
      CURRENT_BRANCH.test(own) ? 'Cannot remove HEAD branch' : own;
    await this.send(output, reason, messages);
  }

  private readonly undecidedReason: ReasonOf = (_, own) =>
    own === UNPACKER_ERROR && this.request.isShallow ? SHALLOW : own;

  /** Refuses a push whose git was stopped before it wrote a report. */
  private async sendRefusal(reason: string): Promise<void> {
    const report = reportRefusal(this.request, reason, { messages: [reason] });
    await deliverParts(this.options.output, report, this.decided.signal);
  }

  /** Sends the report of git with other reasons and the refs that git did not get. */
  private async send(
    output: Buffer,
    reason: ReasonOf,
    messages: readonly string[] = [],
  ): Promise<void> {
    const changes = { reason, messages, others: this.request.refused };
    await deliverParts(this.options.output, rewriteReport(output, changes), this.decided.signal);
  }
}

type ReasonOf = (ref: string, own: string) => string;

type HookedStdio = [Writable, Readable, Readable, Readable, Duplex];

/**
 * Removes the `.keep` files with which git protects the packs of a push from repacking until refs point at them.
 * Housekeeping removes no object, so packs need no protection, and the files do harm: `git repack --geometric` chooses
 * packs before it starts `pack-objects`, which leaves out the objects of packs with such a file. When a push brings a
 * pack once more in between, its objects would be left out and the pack deleted.
 */
async function removeKeepFiles(objects: string): Promise<void> {
  const folder = join(objects, 'pack');
  const names = (await namesIn(folder)).filter((name) => name.endsWith('.keep'));
  for (const name of names) await rm(join(folder, name), { force: true });
}

function textsOf(reasons: ReadonlyMap<string, string> | string): string[] {
  return typeof reasons === 'string' ? [reasons] : [...new Set(reasons.values())];
}

/** Returns the reason for a ref; null for a ref that is refused only because of others. */
function reasonFor(reasons: ReadonlyMap<string, string> | string, ref: string): string | null {
  return typeof reasons === 'string' ? reasons : (reasons.get(ref) ?? null);
}
