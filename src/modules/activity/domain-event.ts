import { DiscoveryService } from '@nestjs/core';
import type { CallingOrder } from '../../platform/discovery/index.js';

export type DomainEventClass<Event extends object = object> = abstract new (
  ...parameters: never[]
) => Event;

export interface DomainEventOptions {
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

export interface SubscriptionOptions extends CallingOrder {
  readonly event: DomainEventClass;
}

export const Subscription = DiscoveryService.createDecorator<SubscriptionOptions>();

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
