import { Injectable } from '@nestjs/common';
import { DomainError } from '../../../platform/errors/index.js';
import type { User } from '../../users/index.js';
import { AwardsService } from '../awards/awards.service.js';
import { formatDuration, parseDuration } from '../model/durations.js';
import type { Issuable } from '../model/issuable.js';
import type {
  AppliedActions,
  QuickAction,
  QuickActionChanges,
  QuickActionName,
} from '../model/quick-actions.js';
import { SubscriptionsRepository } from '../todos/subscriptions.repository.js';
import { TodosService } from '../todos/todos.service.js';
import type { ActionPlan } from './quick-action-planner.js';
import { TimeTrackingService } from './time-tracking.service.js';

/** What one quick action has done. */
export interface AppliedAction {
  readonly changes: QuickActionChanges;
  readonly sentence: string;
}

/** Carries out an action. Null: it has no effect. */
type ActionHandler = (action: QuickAction) => Promise<AppliedAction | null>;

/** Actions of one kind of issuable only. */
export type FurtherActions = Partial<Record<QuickActionName, ActionHandler>>;

/** Where actions are carried out. */
interface ActionContext {
  readonly target: Issuable;
  readonly user: User;
  /** Whether the user may change estimates and the time that was spent. */
  readonly mayTrackTime: boolean;
}

/** Carries out the quick actions that change no field of an issue or merge request: its awards, times, todos and subscriptions. */
@Injectable()
export class QuickActionRunner {
  constructor(
    private readonly todos: TodosService,
    private readonly subscriptions: SubscriptionsRepository,
    private readonly awards: AwardsService,
    private readonly times: TimeTrackingService,
  ) {}

  /**
   * Carries out the rest of a plan, whose fields are changed already, in the caller's unit of work.
   * @returns everything that the plan has done
   */
  async finish(
    { changes, summary, others }: ActionPlan,
    context: ActionContext,
    further: FurtherActions = {},
  ): Promise<AppliedActions> {
    const applied: AppliedAction[] = [];
    for (const action of others) {
      const handle = further[action.name] ?? ((one) => this.carryOut(one, context));
      const done = await withoutRefusals(() => handle(action));
      if (done !== null) applied.push(done);
    }
    return {
      changes: Object.assign(
        {},
        changes,
        ...applied.map((one) => one.changes),
      ) as QuickActionChanges,
      summary: [...summary, ...applied.map(({ sentence }) => sentence)],
    };
  }

  private async carryOut(
    { name, argument }: QuickAction,
    { target, user, mayTrackTime }: ActionContext,
  ): Promise<AppliedAction | null> {
    const noun = target.type === 'Issue' ? 'issue' : 'merge request';
    switch (name) {
      case 'todo':
        await this.todos.mark(target, user);
        return { changes: { todoEvent: 'add' }, sentence: 'Added a to-do item.' };
      case 'done':
        if (!(await this.todos.finish(target, user.id))) return null;
        return { changes: { todoEvent: 'done' }, sentence: 'Marked to-do item as done.' };
      case 'subscribe':
      case 'unsubscribe': {
        const isNew = await this.subscriptions.choose(target, user.id, name === 'subscribe');
        if (!isNew) return null;
        const verb = name === 'subscribe' ? 'Subscribed to' : 'Unsubscribed from';
        return { changes: { subscriptionEvent: name }, sentence: `${verb} this ${noun}.` };
      }
      case 'award':
      case 'react': {
        const award = await this.awards.toggle(target, user, argument);
        if (award === null) return null;
        return { changes: { award }, sentence: `Toggled :${award}: emoji award.` };
      }
      case 'estimate':
      case 'spend':
        return mayTrackTime ? this.trackTime(name, argument, { target, user }) : null;
      default:
        return null;
    }
  }

  private async trackTime(
    name: 'estimate' | 'spend',
    argument: string,
    { target, user }: Pick<ActionContext, 'target' | 'user'>,
  ): Promise<AppliedAction | null> {
    const seconds = parseDuration(argument);
    if (seconds === null) return null;
    const amount = formatDuration(Math.abs(seconds));
    if (name === 'estimate') {
      if (seconds < 0) return null;
      await this.times.estimate(target, user.id, seconds);
      const sentence = seconds === 0 ? 'Removed time estimate.' : `Set time estimate to ${amount}.`;
      return { changes: { timeEstimate: seconds }, sentence };
    }
    if (seconds === 0) return null;
    await this.times.spend(target, user.id, seconds);
    const verb = seconds < 0 ? 'Subtracted' : 'Added';
    return { changes: { timeSpent: seconds }, sentence: `${verb} ${amount} spent time.` };
  }
}

/** Runs what checks everything before its first write. @returns null when it is refused */
export async function withoutRefusals<T>(work: () => Promise<T | null>): Promise<T | null> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof DomainError) return null;
    throw error;
  }
}
