import type { GateDecision, PushHistory, QuarantineView, RefUpdate } from '../../../git/index.js';
import { Deferred } from '../../../platform/async/index.js';
import type { ProjectAccess } from '../../access/index.js';
import type { PushedBranch } from './push.events.js';
import type { PushParts } from './receive-push.js';

/** Who pushes where. */
export interface Pusher {
  access: ProjectAccess;
  userId: number;
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

  constructor(
    private readonly parts: PushParts,
    private readonly pusher: Pusher,
  ) {}

  /** Answers git; when it accepts, the push lock stays held until `settle`. */
  async judge(updates: readonly RefUpdate[], quarantine: QuarantineView): Promise<GateDecision> {
    const verdict = new Deferred<GateDecision>();
    const { turns, work, judge } = this.parts;
    const { access } = this.pusher;
    // What takes long is done before the lock is taken.
    const history = await judge.readHistory(access, updates, quarantine);
    this.held = turns.take(access.project.id, () =>
      work.run(() => this.hold(updates, quarantine, history, verdict.resolve), UNREPEATABLE),
    );
    this.held.catch(verdict.reject);
    return verdict.promise;
  }

  /** Call when git has ended: resolves once what it did is committed. */
  async settle(): Promise<void> {
    this.gitEnded.resolve(undefined);
    try {
      await this.held;
    } catch {
      // The transaction was lost (the database restarted, say), the intent was not.
      await this.parts.recovery.recover(this.pusher.access.project.id);
    }
  }

  /** The branches that git has made or moved; complete once it is settled. */
  get pushed(): readonly PushedBranch[] {
    return this.branches;
  }

  private async hold(
    updates: readonly RefUpdate[],
    quarantine: QuarantineView,
    history: PushHistory | null,
    answer: (verdict: GateDecision) => void,
  ): Promise<void> {
    const { judge, recovery } = this.parts;
    const { access } = this.pusher;
    const project = await this.parts.enter(access.project.id);
    if (project === null) {
      answer(refuseAll(updates, PROJECT_GONE));
      return;
    }
    if (project.repositoryState !== 'ready') {
      answer(refuseAll(updates, BEING_FILLED));
      return;
    }
    await recovery.settleLeftovers(project);
    const reasons = await judge.refusals(access, updates, quarantine);
    if (reasons.size > 0) {
      answer({ accept: false, reasons });
      return;
    }
    const feasible = await judge.feasible(access, updates);
    const intent = await this.parts.recordIntent(this.pusher, feasible, quarantine.processId);
    answer({ accept: true });
    await this.gitEnded.promise;
    this.branches = await recovery.complete(intent, project, history);
  }
}

const UNREPEATABLE = { retry: false };
const BEING_FILLED = 'The repository is still being filled. Try again later.';
const PROJECT_GONE = 'The project you were looking for could not be found.';

function refuseAll(updates: readonly RefUpdate[], reason: string): GateDecision {
  return { accept: false, reasons: new Map(updates.map(({ ref }) => [ref, reason])) };
}
