import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { RoomDiscovery } from '../../../platform/discovery/index.js';
import type { IssuableKind, IssuableType } from './issuable.js';

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
    this.kinds = new Map(kinds.map((kind) => [kind.type, kind]));
    if (this.kinds.size < kinds.length) throw new Error('Two providers are of one issuable kind');
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
}
