import { Injectable } from '@nestjs/common';

type EventClass<Event> = abstract new (...parameters: never[]) => Event;
type Subscriber<Event> = (event: Event) => Promise<void>;

/**
 * How a lower room tells upper ones what happened without importing them. Subscribers run one after
 * the other inside the publisher's unit of work: their writes commit or roll back with it. What has
 * to happen outside the database goes through the outbox instead.
 */
@Injectable()
export class DomainEvents {
  private readonly subscribers = new Map<unknown, Subscriber<never>[]>();

  subscribe<Event extends object>(type: EventClass<Event>, subscriber: Subscriber<Event>): void {
    this.subscribers.set(type, [...(this.subscribers.get(type) ?? []), subscriber]);
  }

  async publish(event: object): Promise<void> {
    for (const subscriber of this.subscribers.get(event.constructor) ?? []) {
      await (subscriber as Subscriber<object>)(event);
    }
  }
}
