import type { GateDecision, PushHistory, QuarantineView, RefUpdate } from '../../../git/index.js';
import { Deferred } from '../../../platform/async/index.js';
import type { ProjectAccess } from '../../access/index.js';
import { isStorageLimit, type Reservation } from '../../projects/index.js';
import type { PushedBranch } from './push.events.js';
import { REFUSAL } from './push.policy.js';
import type { PushParts } from './receive-push.js';

/** Who pushes where. */
export interface Pusher {
  /** As it was when the request came; asked again before a ref moves. */
  access: ProjectAccess;
  userId: number;
  /** Whether the credential that the request came with still lets its holder in; absent is not asked. */
  isStillSignedIn?: () => Promise<boolean>;
}

/**
 * One push between git's asking for leave to move the refs and the record of what it moved. All
 * that time a transaction holds the project's push lock, so refs, activity and outbox agree
 * whenever nobody holds it, or an intent tells that a crash has left them to be settled.
 */
export class PushSession {
  private readonly gitEnded = new Deferred<undefined>();
  private held: Promise<void> | undefined;
  private branches: readonly PushedBranch[] = [];
  /** Room for the objects of the push. */
  private reservation: Reservation = null;

  constructor(
    private readonly parts: PushParts,
    private readonly pusher: Pusher,
  ) {}

  /** Answers git; when it accepts, the push lock stays held until `settle`. */
  async judge(updates: readonly RefUpdate[], quarantine: QuarantineView): Promise<GateDecision> {
    const verdict = new Deferred<GateDecision>();
    const { turns, work, judge, quota } = this.parts;
    const { access } = this.pusher;
    // What takes long is done before the lock is taken.
    const history = await judge.readHistory(access, updates, quarantine);
    const bytes = quota.isLimited ? await quarantine.size() : 0;
    const push = { updates, quarantine, history, bytes };
    this.held = turns.take(access.project.id, () =>
      work.run(() => this.hold(push, verdict.resolve), UNREPEATABLE),
    );
    this.held.catch(verdict.reject);
    return verdict.promise;
  }

  /**
   * Call when git has ended: resolves once what it did is committed.
   * @param isComplete whether git ended by itself; it has kept the objects then, whatever became of the refs
   */
  async settle(isComplete: boolean): Promise<void> {
    const { recovery, quota } = this.parts;
    this.gitEnded.resolve(undefined);
    try {
      await this.held;
    } catch {
      // The transaction was lost (the database restarted, say), the intent was not.
      await recovery.recover(this.pusher.access.project.id);
    } finally {
      await (isComplete ? quota.complete(this.reservation) : quota.abandon(this.reservation));
    }
  }

  /** The branches that git has made or moved; complete once it is settled. */
  get pushed(): readonly PushedBranch[] {
    return this.branches;
  }

  private async hold(
    { updates, quarantine, history, bytes }: QuarantinedPush,
    answer: (verdict: GateDecision) => void,
  ): Promise<void> {
    const { judge, recovery } = this.parts;
    const project = await this.parts.enter(this.pusher.access.project.id);
    if (project === null) {
      answer(refuseAll(updates, PROJECT_GONE));
      return;
    }
    if (project.repositoryState !== 'ready') {
      answer(refuseAll(updates, BEING_FILLED));
      return;
    }
    await recovery.settleLeftovers(project);
    const access = await this.parts.rights.of(this.pusher);
    if (access === null) {
      answer(refuseAll(updates, REFUSAL.push));
      return;
    }
    const reasons = await judge.refusals(access, updates, quarantine);
    if (reasons.size > 0) {
      answer({ accept: false, reasons });
      return;
    }
    const excess = await this.reserve(bytes);
    if (excess !== null) {
      answer(refuseAll(updates, excess));
      return;
    }
    const feasible = await judge.feasible(access, updates);
    const intent = await this.parts.recordIntent(this.pusher, feasible, quarantine.processId);
    answer({ accept: true });
    await this.gitEnded.promise;
    this.branches = await recovery.complete(intent, project, history);
  }

  /** Reserves room for the objects; answers why there is none. */
  private async reserve(bytes: number): Promise<string | null> {
    try {
      const { quota } = this.parts;
      this.reservation = await quota.reserve(this.pusher.access.project, 'repository', bytes);
      return null;
    } catch (error) {
      if (!isStorageLimit(error)) throw error;
      return error.detail.text;
    }
  }
}

/** A push that git asks about, and what was found out of it before the push lock was taken. */
interface QuarantinedPush {
  updates: readonly RefUpdate[];
  quarantine: QuarantineView;
  history: PushHistory | null;
  /** What its objects take on the disk; 0 where there is no limit. */
  bytes: number;
}

const UNREPEATABLE = { retry: false };
const BEING_FILLED = 'The repository is still being filled. Try again later.';
const PROJECT_GONE = 'The project you were looking for could not be found.';

function refuseAll(updates: readonly RefUpdate[], reason: string): GateDecision {
  return { accept: false, reasons: new Map(updates.map(({ ref }) => [ref, reason])) };
}
