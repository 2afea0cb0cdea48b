import { Injectable, type Type } from '@nestjs/common';
import { DomainEvent, DomainEvents, OnDomainEvent } from '../../../src/platform/events/index.js';
import {
  type DomainEventClass,
  domainEventClasses,
} from '../../../src/platform/events/domain-events.js';
import { room, startRooms } from './support/rooms.js';

/** What subscribers were called, in this order. */
let calls: string[];

const GROUND = room('GroundModule', DomainEvents);

function declareEvent(options?: Parameters<typeof DomainEvent>[0]): Type<object> {
  class Happened {
    readonly isTold = true;
  }
  DomainEvent(options)(Happened);
  return Happened;
}

/** Makes a class with one method that subscribes. */
function subscriber(
  name: string,
  event: DomainEventClass,
  options?: Parameters<typeof OnDomainEvent>[1],
): Type {
  @Injectable()
  class Subscriber {
    @OnDomainEvent(event, options)
    async note(): Promise<void> {
      await Promise.resolve();
      calls.push(name);
    }
  }
  Object.defineProperty(Subscriber, 'name', { value: name });
  return Subscriber;
}

async function publish(event: object, ...rooms: Type[]): Promise<void> {
  const app = await startRooms([...rooms, GROUND]);
  await app.get(DomainEvents).publish(event);
  await app.close();
}

const starting = (...rooms: Type[]): Promise<unknown> => startRooms([...rooms, GROUND]);

describe('domain events', () => {
  beforeEach(() => {
    calls = [];
    domainEventClasses.clear();
  });

  it('reach the subscribers of their class one after the other, the lowest module first', async () => {
    const [event, other] = [declareEvent(), declareEvent()];
    await publish(
      new event(),
      room('UpperModule', subscriber('upper', event), subscriber('unconcerned', other)),
      room('LowerModule', subscriber('lower', event)),
    );
    expect(calls).toEqual(['lower', 'upper']);
  });

  it('reach subscribers of a lower order first', async () => {
    const event = declareEvent();
    await publish(
      new event(),
      room('UpperModule', subscriber('first', event), subscriber('third', event, { order: 2 })),
      room('LowerModule', subscriber('second', event, { order: 1 })),
    );
    expect(calls).toEqual(['first', 'second', 'third']);
  });

  it('reach methods of classes that inherit them', async () => {
    const event = declareEvent();
    class Inheriting extends subscriber('base', event) {}
    await publish(new event(), room('UpperModule', Inheriting));
    expect(calls).toEqual(['base']);
  });

  it('fail with their subscriber, so that the unit of work rolls back', async () => {
    const event = declareEvent();
    @Injectable()
    class Failing {
      @OnDomainEvent(event)
      fail(): Promise<void> {
        return Promise.reject(new Error('no'));
      }
    }
    const later = room('UpperModule', subscriber('later', event));
    await expect(publish(new event(), later, room('LowerModule', Failing))).rejects.toThrow('no');
    expect(calls).toEqual([]);
  });

  it('are refused when their class is not declared', async () => {
    class Undeclared {
      readonly isTold = true;
    }
    await expect(publish(new Undeclared())).rejects.toThrow(
      'Undeclared is not declared as a domain event',
    );
  });

  describe('fail the start of a process', () => {
    it('without a subscriber', async () => {
      declareEvent();
      await expect(starting()).rejects.toThrow(
        'Domain events are not wired up: Happened has no subscriber',
      );
    });

    it('unless the event needs no subscriber', async () => {
      const event = declareEvent({ subscribers: 'optional' });
      await expect(publish(new event())).resolves.toBeUndefined();
    });

    it('with a subscriber of an undeclared event', async () => {
      class Undeclared {
        readonly isTold = true;
      }
      await expect(
        starting(room('UpperModule', subscriber('Listener', Undeclared))),
      ).rejects.toThrow('Undeclared of Listener.note is not declared');
    });

    it('with undetermined order of subscribers in one module', async () => {
      const event = declareEvent();
      const upper = room(
        'UpperModule',
        subscriber('One', event, { order: 1 }),
        subscriber('Other', event, { order: 1 }),
      );
      await expect(starting(upper)).rejects.toThrow(
        'Happened: One.note and Other.note of UpperModule need an order',
      );
    });

    it('with a subscriber outside the modules', async () => {
      const event = declareEvent();
      const outside = room('OutsideModule', subscriber('Listener', event));
      await expect(startRooms([GROUND], outside)).rejects.toThrow(
        'Listener is provided by OutsideModule, which is no room',
      );
    });
  });
});
