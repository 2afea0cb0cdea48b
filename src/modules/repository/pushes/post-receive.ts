import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import {
  type CallingOrder,
  type DiscoveredMethod,
  inCallingOrder,
  orderConflicts,
  RoomDiscovery,
} from '../../../platform/discovery/index.js';
import type { ProjectRef } from '../../access/index.js';
import type { PushedBranch } from './push.events.js';

/** A recorded push that has yet to be answered. */
export interface ReceivedPush {
  readonly project: ProjectRef;
  readonly userId: number;
  /** The branches that it has made or moved. */
  readonly branches: readonly PushedBranch[];
  /** Whether a git client prints messages to whoever pushed; the API does not. */
  readonly printsMessages: boolean;
}

/** @returns lines that git prints to whoever pushed */
type PostReceiveStep = (push: ReceivedPush) => Promise<readonly string[] | undefined>;

const Step = DiscoveryService.createDecorator<CallingOrder>();

/**
 * Has a method of a provider called between the record of a push and its answer, so that whoever reads right
 * after the push sees its effect. Called outside the unit of work; what must not be lost waits as a job too.
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

/** Runs the steps that upper rooms have between the record of a push and its answer. */
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
   * Runs the steps in order. Logs the failure of a step and goes on, since the push has happened.
   * @returns lines that git prints to whoever pushed
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
