import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { byType, RoomDiscovery } from '../../platform/discovery/index.js';
import type { ProjectAccess } from '../authorization/index.js';
import type { ActivityEvent } from '../activity/index.js';

/** A comment in a feed. */
export interface TargetNote {
  id: number;
  body: string;
  authorId: number;
  createdAt: Date;
  updatedAt: Date;
  system: boolean;
  noteableId: number | null;
  noteableType: 'Issue' | 'MergeRequest' | 'Commit';
  /** Null where it stands by itself. */
  type: 'DiscussionNote' | 'DiffNote' | null;
  /** Whether its thread can be resolved. */
  resolvable: boolean;
}

/** The description of an event's target. */
export interface EventTarget {
  title: string | null;
  /** Of an issue, merge request or milestone, or of the one that a comment is on: its number in its project. */
  iid?: number;
  /** When the target is a comment. */
  note?: TargetNote;
}

type TargetReference = Pick<ActivityEvent, 'targetType' | 'targetId'>;

/** Describes targets of one type. */
export interface TargetSource {
  /** The type in recorded events. */
  readonly type: string;
  /** The type in responses. */
  readonly shownAs: string;
  /** Describes the existing ones, with a constant number of statements. */
  load(ids: readonly number[]): Promise<ReadonlyMap<number, EventTarget>>;
  /** Finds the bytes of text of each, with one statement; undefined when they are small. */
  readonly sizesOf?: (ids: readonly number[]) => Promise<ReadonlyMap<number, number>>;

  /** The events that readers may see; undefined: all in the projects they see. */
  readonly visibility?: EventVisibility;
}

/**
 * SQL conditions on the alias `event` that are true for the events of a type that a reader may see, and for events
 * of other types. The alias `reader` has the reader's user ID as `id`, null when anonymous.
 */
export interface EventVisibility {
  /** In one project; null when the reader may see all. */
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

/** Describes the targets of events through the providers of upper rooms, whose tables this room does not know. */
@Injectable()
export class EventTargets implements OnModuleInit {
  private sources: ReadonlyMap<string, TargetSource> = new Map();

  constructor(private readonly discovery: RoomDiscovery) {}

  /** @throws Error when two sources are of one type */
  onModuleInit(): void {
    const providers = this.discovery.providers<EventTargetProvider>(ProvidesEventTargets);
    const sources = providers.flatMap(({ targetSources }) => targetSources);
    this.sources = byType(sources, 'Two event targets have the same type');
  }

  /** Returns the type of a target in responses. */
  nameOf(type: string): string {
    return this.sources.get(type)?.shownAs ?? type;
  }

  /** Returns the recorded types that responses name so; none for null. */
  typesShownAs(name: string | null): string[] {
    return [...this.sources.values()].flatMap(({ type, shownAs }) =>
      shownAs === name ? [type] : [],
    );
  }

  /** Returns the conditions for the events of a project that a reader may see. */
  conditions(access: ProjectAccess): string[] {
    return [...this.sources.values()].flatMap(
      ({ visibility }) => visibility?.inProject(access) ?? [],
    );
  }

  /** Returns the conditions for events across projects. */
  conditionsAcross(): string[] {
    return [...this.sources.values()].flatMap(({ visibility }) => visibility?.across ?? []);
  }

  /** Loads the targets of events. The returned function yields null without target, and for a deleted one. */
  load(
    events: readonly TargetReference[],
  ): Promise<(event: TargetReference) => EventTarget | null> {
    return this.forTargets(events, (source, ids) => source.load(ids));
  }

  /** Loads the bytes of text of the targets. The returned function yields null for small ones. */
  loadSizes(
    events: readonly TargetReference[],
  ): Promise<(event: TargetReference) => number | null> {
    return this.forTargets(events, (source, ids) => source.sizesOf?.(ids));
  }

  private async forTargets<V>(
    events: readonly TargetReference[],
    find: (
      source: TargetSource,
      ids: readonly number[],
    ) => Promise<ReadonlyMap<number, V>> | undefined,
  ): Promise<(event: TargetReference) => V | null> {
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
