import { DiscoveryService } from '@nestjs/core';

/** @returns whether there may be more */
export type EraseChunk = (userId: number, ghostId: number) => Promise<boolean>;

/** The mark of the methods that `AccountErasure` finds. */
export const Erases = DiscoveryService.createDecorator();

/**
 * Makes a method of a provider a step of erasing accounts. The method removes one bounded chunk of what a
 * deleted account left, or attributes it to the ghost account, and returns whether there may be more. Each call is
 * a unit of work of its own; after a crash the step begins anew.
 */
export function ErasesAccountData() {
  return <Method extends EraseChunk>(
    target: object,
    key: string,
    descriptor: TypedPropertyDescriptor<Method>,
  ): void => {
    Erases()(target, key, descriptor);
  };
}
