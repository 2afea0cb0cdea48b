import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { byType, RoomDiscovery } from '../../../platform/discovery/index.js';
import type { IssuableType, LoadedIssuable } from '../model/issuable.js';

/** Presents issues, or merge requests, as their own endpoint does. */
export interface IssuablePresenter {
  readonly type: IssuableType;
  /** @param loaded what the `IssuableKind` of the same type has loaded */
  present(loaded: LoadedIssuable): object;
}

/** Marks a provider that is an `IssuablePresenter`. */
export const PresentsIssuables = DiscoveryService.createDecorator();

/** Holds the presenters of the kinds, which upper rooms provide. */
@Injectable()
export class IssuablePresenters implements OnModuleInit {
  private presenters: ReadonlyMap<IssuableType, IssuablePresenter> = new Map();

  constructor(private readonly discovery: RoomDiscovery) {}

  /** @throws Error when two providers present one kind */
  onModuleInit(): void {
    const presenters = this.discovery.providers<IssuablePresenter>(PresentsIssuables);
    this.presenters = byType(presenters, 'Two providers present one issuable kind');
  }

  /** @throws Error (a programming mistake) when no provider presents this kind */
  of(type: IssuableType): IssuablePresenter {
    const presenter = this.presenters.get(type);
    if (presenter === undefined) throw new Error(`No provider presents the issuable kind ${type}`);
    return presenter;
  }
}
