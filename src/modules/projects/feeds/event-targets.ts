import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { RoomDiscovery } from '../../../platform/discovery/index.js';
import type { ProjectAccess } from '../../access/index.js';
import type { ActivityEvent } from '../../activity/index.js';

/** A comment, as the feeds show it. */
export interface TargetNote {
  id: number;
  body: string;
  authorId: number;
  createdAt: Date;
  updatedAt: Date;
  system: boolean;
  noteableId: number | null;
  noteableType: 'Issue' | 'MergeRequest' | 'Commit';
}

/** What the feeds tell of the thing that something was done to. */
export interface EventTarget {
  title: string | null;
  /** Where the target is a comment. */
  note?: TargetNote;
}

type Targeting = Pick<ActivityEvent, 'targetType' | 'targetId'>;

/** How targets of one type are shown. */
export interface TargetSource {
  /** The type as events are recorded with. */
  readonly type: string;
  /** The type as clients know it. */
  readonly shownAs: string;
  /** Describes those that are still there, with a constant number of statements. */
  load(ids: readonly number[]): Promise<ReadonlyMap<number, EventTarget>>;
  /** The bytes of text that each of them holds, with one statement; undefined: next to none. */
  readonly sizesOf?: (ids: readonly number[]) => Promise<ReadonlyMap<number, number>>;

  /** Which events on them readers may see; undefined: all of the projects they see. */
  readonly visibility?: EventVisibility;
}

/**
 * Conditions in SQL on the alias `event` that are true for the events of a type that a reader may see,
 * and for those of other types. The alias `reader` has the reader's user ID as `id`, null for nobody.
 */
export interface EventVisibility {
  /** In one project; null where the reader may see them all. */
  inProject(access: ProjectAccess): string | null;

  /**
   * Across projects; the alias `seen` has the project's columns `issues_enabled` and
   * `merge_requests_enabled`, the reader's `level` on it, and whether they may read its `code`.
   */
  readonly across: string;
}

/** Describes the targets of events of some types. */
export interface EventTargetProvider {
  readonly targetSources: readonly TargetSource[];
}

/** Marks a provider that is an `EventTargetProvider`. */
export const ProvidesEventTargets = DiscoveryService.createDecorator();

/** Describes the targets of events, with what upper rooms provide: this one knows nothing of their tables. */
@Injectable()
export class EventTargets implements OnModuleInit {
  private sources: ReadonlyMap<string, TargetSource> = new Map();

  constructor(private readonly discovery: RoomDiscovery) {}

  /** @throws Error when two sources are of one type */
  onModuleInit(): void {
    const providers = this.discovery.providers<EventTargetProvider>(ProvidesEventTargets);
    const sources = providers.flatMap(({ targetSources }) => targetSources);
    this.sources = new Map(sources.map((source) => [source.type, source]));
    if (this.sources.size < sources.length) throw new Error('Two event targets are of one type');
  }

  /** The name of a type for clients. */
  nameOf(type: string): string {
    return this.sources.get(type)?.shownAs ?? type;
  }

  /** What keeps from a reader the events in a project that they may not see. */
  hiding(access: ProjectAccess): string[] {
    return [...this.sources.values()].flatMap(
      ({ visibility }) => visibility?.inProject(access) ?? [],
    );
  }

  /** The same for the events of several projects. */
  hidingAcross(): string[] {
    return [...this.sources.values()].flatMap(({ visibility }) => visibility?.across ?? []);
  }

  /** What finds the target of each of the events; null for none, and for what is gone. */
  load(events: readonly Targeting[]): Promise<(event: Targeting) => EventTarget | null> {
    return this.ofTargets(events, (source, ids) => source.load(ids));
  }

  /** What tells the bytes of text that the target of each of the events holds; null for next to none. */
  sizes(events: readonly Targeting[]): Promise<(event: Targeting) => number | null> {
    return this.ofTargets(events, (source, ids) => source.sizesOf?.(ids));
  }

  private async ofTargets<V>(
    events: readonly Targeting[],
    find: (
      source: TargetSource,
      ids: readonly number[],
    ) => Promise<ReadonlyMap<number, V>> | undefined,
  ): Promise<(event: Targeting) => V | null> {
    const found = new Map<string | null, ReadonlyMap<number, V> | undefined>();
    for (const [type, source] of this.sources) {
      const ids = events.flatMap(({ targetType, targetId }) =>
        targetType === type && targetId !== null ? [targetId] : [],
      );
      if (ids.length > 0) found.set(type, await find(source, ids));
    }
    return ({ targetType, targetId }) =>
      targetId === null ? null : (found.get(targetType)?.get(targetId) ?? null);
  }
}
