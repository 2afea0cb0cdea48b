import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { RoomDiscovery } from '../../../platform/discovery/index.js';

/** @returns whether there may be more */
type EraseChunk = (userId: number, ghostId: number) => Promise<boolean>;

/** One kind of data that a deleted account leaves behind. */
export interface ErasureStep {
  /** The method that carries it out, for the log. */
  readonly name: string;
  readonly run: EraseChunk;
}

const Erases = DiscoveryService.createDecorator();

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

/** The steps of the job that erases an account, which all rooms have: this one knows nothing of their tables. */
@Injectable()
export class AccountErasure implements OnModuleInit {
  private discovered: readonly ErasureStep[] = [];

  constructor(private readonly discovery: RoomDiscovery) {}

  onModuleInit(): void {
    const methods = this.discovery.methods<object, EraseChunk>(Erases);
    this.discovered = methods.map(({ name, call: run }) => ({ name, run }));
  }

  get steps(): readonly ErasureStep[] {
    return this.discovered;
  }
}
