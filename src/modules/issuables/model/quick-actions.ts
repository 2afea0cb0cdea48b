import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { byType, RoomDiscovery } from '../../../platform/discovery/index.js';
import type { ProjectAccess } from '../../authorization/index.js';
import type { User } from '../../users/index.js';
import type { Issuable, IssuableType } from './issuable.js';

/** The names of quick actions (docs/reference/quick-actions.md#actions). */
const QUICK_ACTIONS = [
  ...(['approve', 'assign', 'award', 'close', 'confidential', 'done', 'draft', 'due'] as const),
  ...(['estimate', 'label', 'merge', 'milestone', 'react', 'ready', 'relabel'] as const),
  ...(['remove_due_date', 'remove_milestone', 'reopen', 'spend', 'subscribe', 'title'] as const),
  ...(['todo', 'unassign', 'unlabel', 'unsubscribe', 'wip'] as const),
] as const;

export type QuickActionName = (typeof QUICK_ACTIONS)[number];

const NAMES: ReadonlySet<string> = new Set(QUICK_ACTIONS);

export const isQuickActionName = (name: string): name is QuickActionName => NAMES.has(name);

/** A line of a text that asks for a change. */
export interface QuickAction {
  readonly name: QuickActionName;
  /** The rest of the line, trimmed. */
  readonly argument: string;
}

/** What quick actions have changed. Absent fields are unchanged. */
export interface QuickActionChanges {
  readonly stateEvent?: 'close' | 'reopen';
  readonly title?: string;
  readonly addedLabelIds?: readonly number[];
  readonly removedLabelIds?: readonly number[];
  /** All labels. */
  readonly labelIds?: readonly number[];
  readonly assigneeIds?: readonly number[];
  readonly milestoneId?: number | null;
  readonly dueDate?: string | null;
  readonly confidential?: boolean;
  readonly draftEvent?: 'draft' | 'ready';
  readonly todoEvent?: 'add' | 'done';
  readonly subscriptionEvent?: 'subscribe' | 'unsubscribe';
  readonly award?: string;
  readonly timeEstimate?: number;
  /** Seconds, less than 0 where they are subtracted. */
  readonly timeSpent?: number;
  readonly approved?: boolean;
  /** The head that is to be merged. */
  readonly mergedSha?: string;
}

/** The quick actions of a text that have been carried out; the others have had no effect. */
export interface AppliedActions {
  readonly changes: QuickActionChanges;
  /** A sentence for each. */
  readonly summary: readonly string[];
}

/** The quick actions of a note. */
export interface ActionsOfNote {
  readonly access: ProjectAccess;
  readonly author: User;
  readonly target: Issuable;
  readonly actions: readonly QuickAction[];
  /** The head of the merge request that the author has seen, without which nothing is merged. */
  readonly headSha?: string | undefined;
}

/** Carries out the quick actions of notes on issues, or on merge requests. The upper rooms provide one for each kind. */
export interface QuickActionExecutor {
  readonly type: IssuableType;

  /**
   * Runs a unit of work in which the note is written and its actions are carried out.
   * @param write writes the note, and calls `carryOut` once, after that
   */
  run<T>(
    note: ActionsOfNote,
    write: (carryOut: () => Promise<AppliedActions>) => Promise<T>,
  ): Promise<T>;
}

/** Marks a provider that is a `QuickActionExecutor`. */
export const ProvidesQuickActions = DiscoveryService.createDecorator();

/** Holds the executors of both kinds. */
@Injectable()
export class QuickActionExecutors implements OnModuleInit {
  private executors: ReadonlyMap<IssuableType, QuickActionExecutor> = new Map();

  constructor(private readonly discovery: RoomDiscovery) {}

  /** @throws Error when two providers are of one kind */
  onModuleInit(): void {
    const found = this.discovery.providers<QuickActionExecutor>(ProvidesQuickActions);
    this.executors = byType(found, 'Two providers carry out the quick actions of one kind');
  }

  /** @throws Error (a programming mistake) when no provider is of this kind */
  of(type: IssuableType): QuickActionExecutor {
    const executor = this.executors.get(type);
    if (executor === undefined) throw new Error(`No provider carries out quick actions of ${type}`);
    return executor;
  }
}
