import type { ChildProcess } from 'node:child_process';
import { resolve } from 'node:path';
import type { Duplex, Readable, Writable } from 'node:stream';
import {
  deliver,
  expectErrors,
  feed,
  IdleLimit,
  whenClientGone,
  type ClientStreams,
} from './client-streams.js';
import { ClientPace } from './client-pace.js';
import { gitCommands } from './command-table.js';
import { GitProtocolError } from './errors.js';
import { HeldOutput } from './held-output.js';
import { withSettings } from './environment.js';
import { asError, exitOf, lowerPriority, stderrTail, stopGroup } from './launcher.js';
import type { PackResult } from './pack-service.js';
import { exceededLimit, type ObjectLimits } from './object-limits.js';
import { protocolEnvironment } from './protocol.js';
import { answerHook, readHookReport, requireHook, type HookReport } from './pre-receive-hook.js';
import { readReport, rewriteReport, type PushReport } from './push-report.js';
import { QuarantineView } from './quarantine.js';
import type { RepositoryLocation } from './runtime.js';
import type { RefUpdate } from './types.js';

/** Once a push is accepted, git gets this long to move the refs. */
const APPLY_LIMIT_MS = 10 * 60_000;
/** An abandoned push gets this long to clear up behind itself. */
const ABANDON_LIMIT_MS = 10_000;
/** While git works on a push that has arrived, it says something every five seconds. */
const WORKING_MS = 10_000;
const TOO_MUCH_MEMORY =
  'The objects of the push take too much memory: unpacked, they are far larger than what was sent.';
const UNCHECKED = 'The push could not be checked; nothing was changed.';
const CURRENT_BRANCH =
  /^(deletion of the current branch prohibited|refusing to delete the current)/;

export type GateDecision =
  | { accept: true }
  /** One reason for the whole push, or one for each ref that is refused. */
  | { accept: false; reasons: ReadonlyMap<string, string> | string };

export type Gate = (commands: RefUpdate[], quarantine: QuarantineView) => Promise<GateDecision>;

export interface PushOutcome {
  /** Null when a signal ended git; some refs may have moved all the same. */
  exitCode: number | null;
  /** What git reports for each ref; null when the client asked for no report or git gave none. */
  report: PushReport | null;
}

export interface ReceivePackOptions extends ClientStreams {
  stateless: boolean;
  protocol?: string | undefined;
  /** A push whose objects take more is refused in git's own words, and leaves nothing. */
  maxBytes?: number | undefined;
  /** A push with larger objects is refused, and leaves nothing. */
  objectLimits?: ObjectLimits | undefined;
  /** Decides about a push when all its objects are there and no ref has moved. */
  gate: Gate;
  /**
   * Called exactly once for each push the gate accepted, when git has ended and before the client
   * gets its report; also when the client left before the verdict, so that no ref has moved. When
   * it fails, the client gets no report.
   */
  settle: (outcome: PushOutcome) => Promise<{ messages?: readonly string[] }>;
}

/**
 * Serves a push. Refs move only with the gate's consent; from then on git is no longer stopped when
 * the client breaks off.
 * @throws GitUnavailableError when git could not ask the gate
 * @throws whatever the gate or `settle` threw, after git has ended
 */
export async function receivePack(
  location: RepositoryLocation,
  options: ReceivePackOptions,
): Promise<PackResult> {
  expectErrors(options);
  await location.identity();
  await requireHook(location.runtime.hooks);
  const child = location.runtime.launcher.spawn(
    gitCommands.receivePack(location.path, options.stateless),
    ['pipe', 'pipe', 'pipe', 'pipe', 'pipe'],
    { ...protocolEnvironment(options.protocol), ...limit(options.maxBytes) },
  );
  lowerPriority(child, 'push');
  return new Push(location, options, child).run();
}

function limit(maxBytes = Infinity): Record<string, string> {
  return maxBytes === Infinity ? {} : withSettings([['receive.maxInputSize', String(maxBytes)]]);
}

type Verdict =
  /** git ended before it asked, or was stopped for its memory. */
  | { kind: 'unasked' }
  | { kind: 'accepted' }
  | { kind: 'refused'; reasons: ReadonlyMap<string, string> | string; error?: Error };

class Push {
  private readonly held = new HeldOutput();
  private readonly decided = new AbortController();
  private readonly stderr: () => string;
  private readonly ended: Promise<number | null>;
  private accepted = false;
  private received = 0;
  private isOverMemory = false;
  /** Whether git has all objects of the push, or has ended. */
  private hasArrived = false;
  private isDelivering = false;
  /** When git wrote for the last time, since the client sent something. */
  private lastWritten = -Infinity;
  private idle: IdleLimit | undefined;
  private pace: ClientPace | undefined;
  private limit: NodeJS.Timeout | undefined;

  constructor(
    private readonly location: RepositoryLocation,
    private readonly options: ReceivePackOptions,
    private readonly child: ChildProcess,
  ) {
    this.stderr = stderrTail(child.stderr);
    this.ended = exitOf(child);
    this.ended.catch(() => undefined);
  }

  async run(): Promise<PackResult> {
    const [stdin, , , asks, answers] = this.child.stdio as HookedStdio;
    const leave = (): void => {
      if (!this.accepted) this.abandon(stdin, answers);
      this.decided.abort();
    };
    const { streamIdleMs, clientRate } = this.location.runtime;
    const idle = new IdleLimit(streamIdleMs, leave);
    const pace = new ClientPace(clientRate, () => this.isDelivering || this.isFed(stdin), leave);
    this.idle = idle;
    this.pace = pace;
    this.options.input.on('data', (chunk: Buffer) => {
      this.received += chunk.length;
      idle.touch();
      pace.moved(chunk.length);
    });
    feed(this.options.input, stdin);
    const stopMemory = this.location.runtime.pushMemory.watch({
      child: this.child,
      received: () => this.received,
      onExceeded: () => {
        this.isOverMemory = true;
        this.held.hold();
      },
    });
    const stopWatching = whenClientGone(this.options, leave);
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
      stopWatching();
      clearTimeout(this.limit);
    }
  }

  /**
   * Lets git see the end of everything, upon which it removes the objects it has taken in. Killed by
   * a signal it would leave them behind.
   */
  private abandon(stdin: Writable, answers: Duplex): void {
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
      // Over SSH the list of refs comes before the client says anything.
      if (this.received > 0) this.lastWritten = performance.now();
      this.isDelivering = true;
      await deliver(this.options.output, this.held.push(chunk), this.decided.signal);
      this.isDelivering = false;
      this.pace?.moved(chunk.length);
      this.idle?.touch();
    }
  }

  /** Whether git waits for more of the push: not once it works on what has come. */
  private isFed(stdin: Writable): boolean {
    if (this.hasArrived || stdin.destroyed || stdin.writableEnded) return false;
    return !stdin.writableNeedDrain && performance.now() - this.lastWritten > WORKING_MS;
  }

  private async decide(asks: Readable, answers: Duplex): Promise<Verdict> {
    // Read to its end, or the end of the process would go unnoticed.
    answers.resume();
    answers.on('error', () => undefined);
    const verdict = await this.judge(asks);
    if (verdict.kind === 'unasked') return verdict;
    this.accepted = verdict.kind === 'accepted';
    if (this.accepted) this.location.runtime.launcher.spare(this.child);
    this.held.hold();
    this.decided.abort();
    this.stopAfter(APPLY_LIMIT_MS);
    answerHook(answers, verdict.kind === 'refused' ? textsOf(verdict.reasons) : null);
    return verdict;
  }

  private async judge(asks: Readable): Promise<Verdict> {
    let asked: HookReport | null;
    try {
      asked = await readHookReport(asks);
    } catch (error) {
      const known = error instanceof GitProtocolError;
      return { kind: 'refused', reasons: known ? error.message : UNCHECKED, error: asError(error) };
    }
    this.hasArrived = true;
    if (!asked) return { kind: 'unasked' };
    try {
      const view = new QuarantineView(this.location, this.child.pid ?? 0, asked.environment);
      const excess = await this.exceededLimit(asked);
      if (excess !== null) return { kind: 'refused', reasons: excess };
      const decision = await this.options.gate(asked.commands, view);
      if (decision.accept) return { kind: 'accepted' };
      return { kind: 'refused', reasons: decision.reasons };
    } catch (error) {
      return { kind: 'refused', reasons: UNCHECKED, error: asError(error) };
    }
  }

  private async exceededLimit({ environment }: HookReport): Promise<string | null> {
    const { objectLimits } = this.options;
    const folder = environment['GIT_OBJECT_DIRECTORY'];
    if (objectLimits === undefined || folder === undefined) return null;
    const objects = resolve(this.location.path, folder);
    return exceededLimit(this.location, objects, { what: 'push', limits: objectLimits });
  }

  /** Lets out what was held back, as the verdict and its consequences demand. */
  private async report(verdict: Verdict, exitCode: number | null): Promise<void> {
    const output = this.held.take();
    if (verdict.kind === 'unasked') {
      const changes = { reason: () => TOO_MUCH_MEMORY, messages: [] };
      return this.send(this.isOverMemory ? rewriteReport(output, changes) : output);
    }
    if (verdict.kind === 'accepted') return this.send(await this.settle(output, exitCode));
    const reason = (ref: string, own: string): string => reasonFor(verdict.reasons, ref) ?? own;
    await this.send(rewriteReport(output, { reason, messages: [] }));
    if (verdict.error) throw verdict.error;
  }

  private async settle(output: Buffer, exitCode: number | null): Promise<Buffer> {
    try {
      const settled = await this.options.settle({ exitCode, report: readReport(output) });
      const reason = (_ref: string, own: string): string =>
        CURRENT_BRANCH.test(own) ? 'Cannot remove HEAD branch' : own;
      return rewriteReport(output, { reason, messages: settled.messages ?? [] });
    } catch (error) {
      this.options.output.destroy(asError(error));
      throw error;
    }
  }

  private async send(bytes: Buffer): Promise<void> {
    await deliver(this.options.output, bytes, this.decided.signal);
  }
}

type HookedStdio = [Writable, Readable, Readable, Readable, Duplex];

function textsOf(reasons: ReadonlyMap<string, string> | string): string[] {
  return typeof reasons === 'string' ? [reasons] : [...new Set(reasons.values())];
}

/** Refs that were not refused themselves fall with the others. */
function reasonFor(reasons: ReadonlyMap<string, string> | string, ref: string): string | null {
  return typeof reasons === 'string' ? reasons : (reasons.get(ref) ?? null);
}
