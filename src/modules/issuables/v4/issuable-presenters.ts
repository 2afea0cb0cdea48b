import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { byType, RoomDiscovery } from '../../../platform/discovery/index.js';
import type { ProjectAccess, Subject } from '../../authorization/index.js';
import type { IssuableType, LoadedIssuable } from '../model/issuable.js';
import type { ListReading } from './issuable.view.js';

/** Presents issues, or merge requests, as the items of their own lists. */
export interface V4IssuablePresenter {
  readonly type: IssuableType;
  /** @param loaded what the `IssuableKind` of the same type has loaded @returns the views in the same order */
  presentAll(loaded: readonly LoadedIssuable[], reading: ListReading): Promise<object[]>;
  /** Presents one as its own endpoint does. @param access of the reader to its project */
  presentOne(loaded: LoadedIssuable, access: ProjectAccess, reader: Subject): Promise<object>;
}

/** Marks a provider that is a `V4IssuablePresenter`. */
export const V4PresentsIssuables = DiscoveryService.createDecorator();

/** Holds the presenters of the kinds, which upper rooms provide. */
@Injectable()
export class V4IssuablePresenters implements OnModuleInit {
  private presenters: ReadonlyMap<IssuableType, V4IssuablePresenter> = new Map();

  constructor(private readonly discovery: RoomDiscovery) {}

  /** @throws Error when two providers present one kind */
  onModuleInit(): void {
    const presenters = this.discovery.providers<V4IssuablePresenter>(V4PresentsIssuables);
    this.presenters = byType(presenters, 'Two providers present one issuable kind in version 4');
  }

  /** @throws Error (a programming mistake) when no provider presents this kind */
  of(type: IssuableType): V4IssuablePresenter {
    const presenter = this.presenters.get(type);
    if (presenter === undefined) throw new Error(`No provider presents the issuable kind ${type}`);
    return presenter;
  }
}
