import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import {
  type CallingOrder,
  type DiscoveredMethod,
  inCallingOrder,
  orderConflicts,
  RoomDiscovery,
} from '../discovery/index.js';

export type DomainEventClass<Event extends object = object> = abstract new (
  ...parameters: never[]
) => Event;

interface DomainEventOptions {
  /** Whether the process starts without a subscriber. Default: required. */
  readonly subscribers?: 'required' | 'optional';
}

/** Every domain event there is, filled by `DomainEvent` as the modules are loaded. */
export const domainEventClasses = new Map<DomainEventClass, DomainEventOptions>();

/** Declares a class of events that rooms publish and rooms above subscribe to. */
export function DomainEvent(options: DomainEventOptions = {}) {
  return (event: DomainEventClass): void => {
    domainEventClasses.set(event, options);
  };
}

interface SubscriptionOptions extends CallingOrder {
  readonly event: DomainEventClass;
}

const Subscription = DiscoveryService.createDecorator<SubscriptionOptions>();

/** Has a method of a provider called for each event of a class, inside the publisher's unit of work. */
export function OnDomainEvent<Event extends object>(
  event: DomainEventClass<Event>,
  { order }: CallingOrder = {},
) {
  return <Method extends (event: Event) => Promise<void>>(
    target: object,
    key: string,
    descriptor: TypedPropertyDescriptor<Method>,
  ): void => {
    Subscription({ event, ...(order !== undefined && { order }) })(target, key, descriptor);
  };
}

/** A method with `OnDomainEvent`. */
type Subscriber = DiscoveredMethod<SubscriptionOptions, (event: object) => Promise<void>>;

type Subscribers = ReadonlyMap<unknown, readonly Subscriber[]>;

/**
 * Publishes what happened in a lower room to upper ones, which it does not import. Subscribers are called one
 * after the other inside the publisher's unit of work: their writes commit or roll back with it. Effects
 * outside the database go through the outbox instead.
 */
@Injectable()
export class DomainEvents implements OnModuleInit {
  private subscribers: Subscribers = new Map();

  constructor(private readonly discovery: RoomDiscovery) {}

  /** @throws Error naming every event and subscriber that is not wired up */
  onModuleInit(): void {
    this.subscribers = matchSubscribers(domainEventClasses, this.discovery.methods(Subscription));
  }

  /** @throws Error (a programming mistake) when the class is not declared with `DomainEvent` */
  async publish(event: object): Promise<void> {
    const subscribers = this.subscribers.get(event.constructor);
    if (subscribers === undefined) {
      throw new Error(`${event.constructor.name} is not declared as a domain event`);
    }
    for (const { call } of subscribers) await call(event);
  }
}

/**
 * Gives each declared event its subscribers in the order in which they are called.
 * @param found in the order of their rooms, the lowest first
 * @throws Error naming every event without a subscriber, every subscriber of what is not declared, and
 *   subscribers in one room without an order
 */
function matchSubscribers(
  declared: ReadonlyMap<DomainEventClass, DomainEventOptions>,
  found: readonly Subscriber[],
): Subscribers {
  const subscribers = new Map<DomainEventClass, readonly Subscriber[]>();
  const mistakes = found
    .filter(({ options: { event } }) => !declared.has(event))
    .map(({ name, options: { event } }) => `${event.name} of ${name} is not declared`);
  for (const [event, options] of declared) {
    const own = found.filter((subscriber) => subscriber.options.event === event);
    if (own.length === 0 && options.subscribers !== 'optional') {
      mistakes.push(`${event.name} has no subscriber`);
    }
    mistakes.push(...orderConflicts(own).map((conflict) => `${event.name}: ${conflict}`));
    subscribers.set(event, inCallingOrder(own));
  }
  if (mistakes.length > 0) {
    throw new Error(`Domain events are not wired up: ${mistakes.join(', ')}`);
  }
  return subscribers;
}
