import type { Readable, Writable } from 'node:stream';
import { Injectable, Logger } from '@nestjs/common';
import {
  type Gate,
  type GateDecision,
  GitError,
  type QuarantineView,
  type RefUpdate,
  RepositoryMissingError,
} from '../../../git/index.js';
import { Deferred, runAs } from '../../../platform/async/index.js';
import { Config } from '../../../platform/config/index.js';
import {
  isStorageLimit,
  ProjectStorage,
  pushLimitsOf,
  type Reservation,
  StorageQuota,
  type StorageSizes,
} from '../../storage/index.js';
import { findUnavailability } from '../shared/find-unavailability.js';
import type { RefProblem } from '../shared/refusals.js';
import type { Pusher } from './push-authorizer.js';
import { PushPreparation } from './push-preparation.js';
import { type PushRefusal, PushTransaction, type RefMover } from './push-transaction.js';
import { UnsettledPushError } from './recording/push-recovery.js';

/** How long a push waits for others before git prints why. */
const SILENT_WAIT_MS = 3_000;

/** Why a push ends without having moved refs. */
type PushFailure =
  | Exclude<PushRefusal['reason'], 'refs-refused'>
  /** The push could not be decided on, or not be recorded. */
  | 'unchecked'
  /** The database or a storage does not answer. */
  | 'unavailable'
  /** An interrupted push to the project is not settled yet. */
  | 'unsettled';

/** What git shows its user, in the words of the face that receives the push. */
export interface PushTexts {
  readonly failures: Readonly<Record<PushFailure, string>>;
  readonly refProblems: Readonly<Record<RefProblem, string>>;
  readonly storageLimit: (sizes: StorageSizes) => string;
  /** While another push to the project goes on. */
  readonly waiting: string;
  /** Until an interrupted push to the project is settled. */
  readonly waitingForRecovery: string;
}

/** The two ends of a git client's connection. */
export interface GitStreams {
  input: Readable;
  output: Writable;
  /** Aborted when the client disconnects. */
  signal: AbortSignal;
  /** True for HTTP, where one exchange is one request. */
  stateless: boolean;
  /** The value of `GIT_PROTOCOL` that the client asked for. */
  protocol?: string | undefined;
}

/** A push between its arrival in quarantine and its record. */
interface PushUnderWay {
  readonly pusher: Pusher;
  readonly texts: PushTexts;
  /** Whether git asks again when it has locked the refs. */
  readonly isGuarded: boolean;
  /** Resolved when git has ended. */
  readonly gitEnded: Deferred<undefined>;
  /** Fails when this process must not move refs any more; absent before the push is accepted. */
  confirm?: (() => Promise<void>) | undefined;
  /** The transaction that decides on the push and records it, with the lines that git prints; absent before. */
  recorded?: Promise<readonly string[]>;
  /** The storage reserved for the objects of the push. */
  reservation?: Reservation;
}

/**
 * Receives pushes of git clients, over HTTP and SSH. Git unpacks the objects into a quarantine, asks this class for a
 * decision, and moves the refs, while a `PushTransaction` holds the push lock.
 */
@Injectable()
export class ReceivePush {
  private readonly logger = new Logger(ReceivePush.name);

  constructor(
    private readonly config: Config,
    private readonly storage: ProjectStorage,
    private readonly preparation: PushPreparation,
    private readonly quota: StorageQuota,
    private readonly transaction: PushTransaction,
  ) {}

  /**
   * Resolves when the client has its report. Refusals are part of the report, not errors.
   * @returns the exit code of git
   */
  receive(pusher: Pusher, streams: GitStreams, texts: PushTexts): Promise<number> {
    return runAs('push', () => this.runReceivePack(pusher, streams, texts));
  }

  private async runReceivePack(
    pusher: Pusher,
    streams: GitStreams,
    texts: PushTexts,
  ): Promise<number> {
    const { isGuarded } = this.transaction;
    const push: PushUnderWay = { pusher, texts, isGuarded, gitEnded: new Deferred<undefined>() };
    const { exitCode } = await this.storage.repository(pusher.access.project).receivePack({
      ...streams,
      ...pushLimitsOf(this.config),
      gate: (...arrived) => this.decide(push, ...arrived),
      confirm: isGuarded ? () => confirmPush(push) : undefined,
      settle: async ({ exitCode: code }) => ({ messages: await this.settle(push, code) }),
    });
    return exitCode ?? 1;
  }

  /** Answers git's pre-receive hook. After an acceptance, the push lock is held until `settle`. */
  private async decide(
    push: PushUnderWay,
    ...[updates, quarantine, print, options]: Parameters<Gate>
  ): Promise<GateDecision> {
    const { pusher, isGuarded, texts } = push;
    const { project } = pusher.access;
    const { history, bytes } = await this.preparation.prepare(project, updates, quarantine);
    const decision = new Deferred<GateDecision>();
    const explanation = setTimeout(() => print(texts.waiting), SILENT_WAIT_MS);
    const isForced = async ({ oldOid, newOid }: RefUpdate): Promise<boolean> =>
      !(await quarantine.isAncestor(oldOid, newOid));
    const mover: RefMover = {
      processId: quarantine.processId,
      commit: async (_, confirm) => {
        push.confirm = confirm;
        decision.resolve({ accept: true });
        await push.gitEnded.promise;
      },
    };
    const outcome = this.transaction.makePush({
      pusher,
      rules: { isForced, isDeployKey: pusher.isDeployKey },
      isOfClient: true,
      options,
      isGuarded,
      onWait: () => print(texts.waitingForRecovery),
      plan: (locked) =>
        Promise.resolve({
          updates,
          history,
          storeObjects: async () => {
            push.reservation = await this.quota.reserve(locked, 'repository', bytes);
          },
          begin: () => Promise.resolve(mover),
        }),
    });
    push.recorded = outcome.then((ended) => {
      if (!('reason' in ended)) return ended;
      decision.resolve({ accept: false, reasons: reasonsOf(ended, texts) });
      return [];
    });
    push.recorded.catch((error: unknown) => {
      const text = isStorageLimit(error)
        ? texts.storageLimit(error.detail.sizes)
        : texts.failures[this.failureOf(error, quarantine)];
      decision.resolve({ accept: false, reasons: text });
    });
    try {
      return await decision.promise;
    } finally {
      clearTimeout(explanation);
    }
  }

  private failureOf(error: unknown, quarantine: QuarantineView): PushFailure {
    if (quarantine.isAbandoned && error instanceof GitError) return 'unchecked';
    if (error instanceof UnsettledPushError) return 'unsettled';
    if (error instanceof RepositoryMissingError) return 'project-deleted';
    this.logger.error('A push could not be checked or recorded', error);
    return findUnavailability(error) === undefined ? 'unchecked' : 'unavailable';
  }

  /**
   * Has the push recorded once git has ended, and returns the lines that it prints.
   * @param exitCode 0 if git ended by itself; it has kept the objects then, whether or not the refs moved
   */
  private async settle(
    { gitEnded, recorded, reservation = null }: PushUnderWay,
    exitCode: number | null,
  ): Promise<readonly string[]> {
    gitEnded.resolve(undefined);
    try {
      return (await recorded) ?? [];
    } finally {
      await (exitCode === 0 ? this.quota.complete(reservation) : this.quota.abandon(reservation));
    }
  }
}

/** @throws Error when the push was not accepted, or this process must not move refs any more */
async function confirmPush({ confirm }: PushUnderWay): Promise<void> {
  if (confirm === undefined) throw new Error('The push was not accepted');
  await confirm();
}

/** Returns what git shows: of each ref, or of all. */
function reasonsOf(
  refusal: PushRefusal,
  { failures, refProblems }: PushTexts,
): ReadonlyMap<string, string> | string {
  switch (refusal.reason) {
    case 'refs-refused':
      return new Map([...refusal.problems].map(([ref, problem]) => [ref, refProblems[problem]]));
    case 'not-shown':
      return new Map(refusal.refs.map((ref) => [ref, failures['not-shown']]));
    default:
      return failures[refusal.reason];
  }
}
