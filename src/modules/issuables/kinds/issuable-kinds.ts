import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { BatchedReads } from '../../../platform/database/index.js';
import { RoomDiscovery } from '../../../platform/discovery/index.js';
import { type DomainError, recordNotFound } from '../../../platform/errors/index.js';
import type { ProjectAccess, Subject } from '../../access/index.js';
import type {
  Issuable,
  IssuableKind,
  IssuableType,
  NumberInProject,
  ReadIssuable,
} from './issuable.js';
import { isEnabled } from './issuable.rules.js';

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

  /**
   * Finds an issuable by its number in a project. Whether it may be read is checked by others.
   * @throws DomainError record not found
   */
  async findByNumber(type: IssuableType, number: NumberInProject): Promise<Issuable> {
    const [found] = await this.of(type).findByIid([number]);
    if (found === undefined) throw recordNotFound();
    return found;
  }
}

/** The repository of a kind. */
interface IssuableRows<Row> {
  /** Null if it is not in the project, or is deleted. */
  findIn(projectId: number, id: number): Promise<Row | null>;
  /** In no particular order, without those that are deleted, with one statement. */
  findByIds(ids: readonly number[]): Promise<Row[]>;
  /** The same without the columns of their descriptions, which may be long. */
  findHeads(ids: readonly number[]): Promise<HeadOf<Row>[]>;
  /** The same, by their numbers in projects. */
  findHeadsByIid(numbers: readonly NumberInProject[]): Promise<HeadOf<Row>[]>;
  /** The bytes of text in a response about each, by ID: of its description and its milestone's. */
  textBytesOf(ids: readonly number[]): Promise<ReadonlyMap<number, number>>;
  /** Sets `updated_at` to now. @returns false if it is deleted */
  touch(id: number): Promise<boolean>;
  /** Locks rows in ID order until the unit of work ends. */
  lock(ids: readonly number[]): Promise<void>;
}

export type HeadOf<Row> = Omit<Row, 'description' | 'movedReferences'>;

/** Implements what all kinds do in the same way. */
export abstract class BaseIssuableKind<Row extends { id: number; projectId: number }> {
  private readonly heads = new BatchedReads<number, HeadOf<Row> | null>({
    key: (id) => id,
    answer: (ids) => this.findHeads(ids),
  });

  protected constructor(private readonly rows: IssuableRows<Row>) {}

  /** Requests that come together share one statement. */
  async findReadable(access: ProjectAccess, reader: Subject, id: number): Promise<Issuable | null> {
    if (!isEnabled(access.project, this.type)) return null;
    const head = await this.heads.ask(id);
    if (head === null) return null;
    const issuable = this.issuableOf(head);
    if (issuable.projectId !== access.project.id) return null;
    return this.allowsReading(issuable, access, reader) ? issuable : null;
  }

  async read(access: ProjectAccess, reader: Subject, id: number): Promise<ReadIssuable> {
    const row = await this.findRow(access, id);
    if (row === null) throw recordNotFound();
    const issuable = this.issuableOf(row);
    if (!this.allowsReading(issuable, access, reader)) throw this.unreadable();
    return { issuable, present: () => this.presentRow(row, reader) };
  }

  async find(ids: readonly number[]): Promise<ReadonlyMap<number, Issuable>> {
    const rows = await this.rows.findHeads(ids);
    return new Map(rows.map((row) => [row.id, this.issuableOf(row)] as const));
  }

  async findByIid(numbers: readonly NumberInProject[]): Promise<Issuable[]> {
    const rows = await this.rows.findHeadsByIid(numbers);
    return rows.map((row) => this.issuableOf(row));
  }

  async present(ids: readonly number[], reader: Subject): Promise<ReadonlyMap<number, object>> {
    return this.presentRows(await this.rows.findByIds(ids), reader);
  }

  textBytesOf(ids: readonly number[]): Promise<ReadonlyMap<number, number>> {
    return this.rows.textBytesOf(ids);
  }

  touch(id: number): Promise<boolean> {
    return this.rows.touch(id);
  }

  lock(ids: readonly number[]): Promise<void> {
    return this.rows.lock(ids);
  }

  abstract readonly type: IssuableType;

  abstract allowsReading(issuable: Issuable, access: ProjectAccess, reader: Subject): boolean;

  protected abstract issuableOf(row: HeadOf<Row>): Issuable;

  /** The refusal of a read by a caller who may not read it. */
  protected abstract unreadable(): DomainError;

  /** By ID, with a constant number of statements. */
  protected abstract presentRows(
    rows: readonly Row[],
    reader: Subject,
  ): Promise<ReadonlyMap<number, object>>;

  /** Returns null without a statement where the kind is disabled, since none may be read there. */
  private async findRow({ project }: ProjectAccess, id: number): Promise<Row | null> {
    return isEnabled(project, this.type) ? this.rows.findIn(project.id, id) : null;
  }

  private async findHeads(ids: readonly number[]): Promise<(HeadOf<Row> | null)[]> {
    const rows = await this.rows.findHeads(ids);
    const found = new Map(rows.map((row) => [row.id, row]));
    return ids.map((id) => found.get(id) ?? null);
  }

  private async presentRow(row: Row, reader: Subject): Promise<object> {
    const view = (await this.presentRows([row], reader)).get(row.id);
    if (view === undefined) throw recordNotFound();
    return view;
  }
}
