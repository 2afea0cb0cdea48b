import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { byType, RoomDiscovery } from '../../../platform/discovery/index.js';
import type { Issuable, IssuableKind, IssuableType, NumberInProject } from './issuable.js';
import { issuableNotFound } from './refusals.js';

/** Marks a provider that is an `IssuableKind`. */
export const ProvidesIssuableKind = DiscoveryService.createDecorator();

/** Holds the kinds of issuables, which upper rooms provide. */
@Injectable()
export class IssuableKinds implements OnModuleInit {
  private kinds: ReadonlyMap<IssuableType, IssuableKind> = new Map();

  constructor(private readonly discovery: RoomDiscovery) {}

  /** @throws Error when two providers are of one kind */
  onModuleInit(): void {
    const kinds = this.discovery.providers<IssuableKind>(ProvidesIssuableKind);
    this.kinds = byType(kinds, 'Two providers are of one issuable kind');
  }

  get all(): readonly IssuableKind[] {
    return [...this.kinds.values()];
  }

  /** @throws Error (a programming mistake) when no provider is of this kind */
  of(type: IssuableType): IssuableKind {
    const kind = this.kinds.get(type);
    if (kind === undefined) throw new Error(`No provider is of the issuable kind ${type}`);
    return kind;
  }

  /**
   * Finds an issuable by its number in a project. Whether it may be read is checked by others.
   * @throws DomainError record not found
   */
  async findByNumber(type: IssuableType, number: NumberInProject): Promise<Issuable> {
    const [found] = await this.of(type).findByIid([number]);
    if (found === undefined) throw issuableNotFound(type);
    return found;
  }
}
