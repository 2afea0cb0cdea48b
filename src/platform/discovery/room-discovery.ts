import type { Type } from '@nestjs/common';
import { type DiscoverableDecorator, type DiscoveryService, MetadataScanner } from '@nestjs/core';

/** A decorated method of a provider. */
export interface DiscoveredMethod<Options, Method> {
  /** `Class.method`. */
  readonly name: string;
  /** The module that provides the class. */
  readonly room: string;
  /** What the decorator was given. */
  readonly options: Options;
  /** The method, bound to its provider. */
  readonly call: Method;
}

interface RoomProvider {
  readonly instance: object;
  readonly room: Type;
}

/**
 * Finds decorated classes and methods among the providers of the rooms, the lowest room first. Providers exist
 * once all modules are instantiated: call it in `onModuleInit`.
 */
export class RoomDiscovery {
  private readonly scanner = new MetadataScanner();
  private readonly floors: ReadonlyMap<Type, number>;

  /** @param rooms the modules of the rooms, from the top to the ground */
  constructor(
    private readonly discovery: DiscoveryService,
    rooms: readonly Type[],
  ) {
    this.floors = new Map(rooms.toReversed().map((room, floor) => [room, floor]));
  }

  /**
   * Finds the methods that carry a decorator.
   * @throws Error when the provider of one belongs to no room
   */
  methods<Options, Method>(
    decorator: DiscoverableDecorator<Options>,
  ): DiscoveredMethod<Options, Method>[] {
    const found = this.providersOfAll().flatMap((provider) =>
      this.methodNames(provider.instance).flatMap((name) => {
        const method = (provider.instance as Record<string, object>)[name] as CallableFunction;
        const options = Reflect.getMetadata(decorator.KEY, method) as Options | undefined;
        return options === undefined ? [] : [{ ...provider, method, name, options }];
      }),
    );
    return this.fromTheGround(found).map(({ instance, room, method, name, options }) => ({
      name: `${instance.constructor.name}.${name}`,
      room: room.name,
      options,
      call: method.bind(instance) as Method,
    }));
  }

  /**
   * Finds the providers whose class carries a decorator.
   * @throws Error when one of them belongs to no room
   */
  providers<Instance extends object>(decorator: DiscoverableDecorator<unknown>): Instance[] {
    const found = this.providersOfAll().filter(({ instance }) =>
      Reflect.hasMetadata(decorator.KEY, instance.constructor),
    );
    return this.fromTheGround(found).map(({ instance }) => instance as Instance);
  }

  /** One that is provided under several tokens is found once. */
  private providersOfAll(): RoomProvider[] {
    const rooms = new Map<object, Type>();
    for (const wrapper of this.discovery.getProviders()) {
      const instance: unknown = wrapper.isDependencyTreeStatic() ? wrapper.instance : null;
      const room = wrapper.host?.metatype;
      if (!isClassInstance(instance) || room === undefined || rooms.has(instance)) continue;
      rooms.set(instance, room);
    }
    return [...rooms].map(([instance, room]) => ({ instance, room }));
  }

  private methodNames(instance: object): string[] {
    return this.scanner.getAllMethodNames(Object.getPrototypeOf(instance) as object);
  }

  private fromTheGround<Found extends RoomProvider>(found: readonly Found[]): Found[] {
    const floorOf = ({ instance, room }: RoomProvider): number => {
      const floor = this.floors.get(room);
      if (floor !== undefined) return floor;
      throw new Error(`${instance.constructor.name} is provided by ${room.name}, which is no room`);
    };
    return found
      .map((one) => ({ one, floor: floorOf(one) }))
      .sort((a, b) => a.floor - b.floor)
      .map(({ one }) => one);
  }
}

function isClassInstance(value: unknown): value is object {
  return typeof value === 'object' && value !== null && typeof value.constructor === 'function';
}

/** What decorators of methods take that are called one after the other. */
export interface CallingOrder {
  /**
   * Methods of a lower order are called first, of the same order those of lower rooms. Default: 0. Two methods of one
   * room must differ in it.
   */
  readonly order?: number;
}

type Ordered<Method> = DiscoveredMethod<CallingOrder, Method>;

/** Sorts methods that come in the order of their rooms by the order in which they are to be called. */
export function inCallingOrder<Found extends Ordered<unknown>>(methods: readonly Found[]): Found[] {
  return methods.toSorted((a, b) => orderOf(a) - orderOf(b));
}

/** Names every two methods of one room whose order is not determined. */
export function orderConflicts(methods: readonly Ordered<unknown>[]): string[] {
  return methods.flatMap((method, index) =>
    methods
      .slice(index + 1)
      .filter((other) => other.room === method.room && orderOf(other) === orderOf(method))
      .map((other) => `${method.name} and ${other.name} of ${method.room} need an order`),
  );
}

const orderOf = ({ options: { order = 0 } }: Ordered<unknown>): number => order;
