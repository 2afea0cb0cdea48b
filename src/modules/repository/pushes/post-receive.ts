import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import {
  type CallingOrder,
  type DiscoveredMethod,
  inCallingOrder,
  orderConflicts,
  RoomDiscovery,
} from '../../../platform/discovery/index.js';
import type { ProjectRef } from '../../authorization/index.js';
import type { PushedBranch } from './push.events.js';

/** A push that is recorded, but not answered yet. */
export interface ReceivedPush {
  readonly project: ProjectRef;
  readonly userId: number;
  /** The branches that it has created or moved. */
  readonly branches: readonly PushedBranch[];
  /** What a git client says of the push (`git push -o`), as it was sent. */
  readonly options: readonly string[];
  /** Whether a deploy key has pushed, in the name of the user. */
  readonly isOfDeployKey: boolean;
  /** Whether a git client prints messages to the user; the API does not. */
  readonly printsMessages: boolean;
}

/**
 * Delay of jobs that the process that received the push does itself, before it responds. A worker does them if that
 * process ends before.
 */
export const POST_RECEIVE_DELAY_MS = 1_000;

/** @returns lines that git prints to the user */
type PostReceiveStep = (push: ReceivedPush) => Promise<readonly string[] | undefined>;

const Step = DiscoveryService.createDecorator<CallingOrder>();

/**
 * Marks a method of a provider as a post-receive step: it is called between the record of a push and its
 * answer, so that its effect is visible to requests that follow the push. Steps run outside the unit of work;
 * work that must not be lost is queued as a job as well.
 */
export function OnPostReceive(order: CallingOrder = {}) {
  return <Method extends PostReceiveStep>(
    target: object,
    key: string,
    descriptor: TypedPropertyDescriptor<Method>,
  ): void => {
    Step(order)(target, key, descriptor);
  };
}

/** Runs the post-receive steps of upper rooms, between the record of a push and its answer. */
@Injectable()
export class PostReceive implements OnModuleInit {
  private readonly logger = new Logger(PostReceive.name);
  private steps: readonly DiscoveredMethod<CallingOrder, PostReceiveStep>[] = [];

  constructor(private readonly discovery: RoomDiscovery) {}

  /** @throws Error naming the steps whose order is not determined */
  onModuleInit(): void {
    const steps = this.discovery.methods<CallingOrder, PostReceiveStep>(Step);
    const conflicts = orderConflicts(steps);
    if (conflicts.length > 0) {
      throw new Error(`Post-receive steps are not wired up: ${conflicts.join(', ')}`);
    }
    this.steps = inCallingOrder(steps);
  }

  /**
   * Runs the steps in order. A step that fails is logged and skipped, since the push cannot be undone.
   * @returns lines that git prints to the user
   */
  async runSteps(push: ReceivedPush): Promise<string[]> {
    const messages: string[] = [];
    for (const { name, call } of this.steps) {
      try {
        messages.push(...((await call(push)) ?? []));
      } catch (error) {
        this.logger.warn(`${name} failed after a push`, error);
      }
    }
    return messages;
  }
}
