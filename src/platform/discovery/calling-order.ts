import type { DiscoveredMethod } from './room-discovery.js';

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
