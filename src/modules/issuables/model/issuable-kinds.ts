import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { byType, RoomDiscovery } from '../../../platform/discovery/index.js';
import type { ProjectAccess, Subject } from '../../authorization/index.js';
import { isEnabled } from './issuable.rules.js';
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

  /**
   * Finds one by its number in a project that the reader has access to.
   * @throws DomainError not found (404) if it does not exist; if the reader may not read it, as `IssuableKind.read`
   */
  async readByNumber(
    type: IssuableType,
    access: ProjectAccess,
    reader: Subject,
    iid: number,
  ): Promise<Issuable> {
    // Where the kind is disabled, none may be read.
    if (!isEnabled(access.project, type)) throw issuableNotFound(type);
    const found = await this.findByNumber(type, { projectId: access.project.id, iid });
    const kind = this.of(type);
    if (!kind.allowsReading(found, access, reader)) throw kind.unreadable();
    return found;
  }
}
