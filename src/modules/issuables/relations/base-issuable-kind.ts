import { BatchedReads } from '../../../platform/database/index.js';
import type { DomainError } from '../../../platform/errors/index.js';
import type { ProjectAccess, Subject } from '../../authorization/index.js';
import type { Issuable, IssuableType, NumberInProject, ReadIssuable } from '../model/issuable.js';
import { isEnabled } from '../model/issuable.rules.js';
import { issuableNotFound } from '../model/refusals.js';
import type {
  IssuableRelations,
  RelatedRow,
  WithRelations,
} from './issuable-relations.repository.js';

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

export type HeadOf<Row> = Omit<Row, 'description'>;

/** Implements what all kinds do in the same way. */
export abstract class BaseIssuableKind<Row extends RelatedRow & { projectId: number }> {
  private readonly heads = new BatchedReads<number, HeadOf<Row> | null>({
    key: (id) => id,
    answer: (ids) => this.findHeads(ids),
  });

  protected constructor(
    private readonly rows: IssuableRows<Row>,
    private readonly relations: IssuableRelations,
  ) {}

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
    if (row === null) throw issuableNotFound(this.type);
    const issuable = this.issuableOf(row);
    if (!this.allowsReading(issuable, access, reader)) throw this.unreadable();
    return { issuable, load: () => this.loadRow(row, reader) };
  }

  async find(ids: readonly number[]): Promise<ReadonlyMap<number, Issuable>> {
    const rows = await this.rows.findHeads(ids);
    return new Map(rows.map((row) => [row.id, this.issuableOf(row)] as const));
  }

  async findByIid(numbers: readonly NumberInProject[]): Promise<Issuable[]> {
    const rows = await this.rows.findHeadsByIid(numbers);
    return rows.map((row) => this.issuableOf(row));
  }

  async load(
    ids: readonly number[],
    reader: Subject,
  ): Promise<ReadonlyMap<number, WithRelations<Row>>> {
    const loaded = await this.relations.loadAll(this.type, await this.rows.findByIds(ids), reader);
    return new Map(loaded.map((one) => [one.issuable.id, one]));
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

  /** The refusal of a read by a caller who may not read it. */
  abstract unreadable(): DomainError;

  protected abstract issuableOf(row: HeadOf<Row>): Issuable;

  /** Returns null without a statement where the kind is disabled, since none may be read there. */
  private async findRow({ project }: ProjectAccess, id: number): Promise<Row | null> {
    return isEnabled(project, this.type) ? this.rows.findIn(project.id, id) : null;
  }

  private async findHeads(ids: readonly number[]): Promise<(HeadOf<Row> | null)[]> {
    const rows = await this.rows.findHeads(ids);
    const found = new Map(rows.map((row) => [row.id, row]));
    return ids.map((id) => found.get(id) ?? null);
  }

  private async loadRow(row: Row, reader: Subject): Promise<WithRelations<Row>> {
    const [loaded] = await this.relations.loadAll(this.type, [row], reader);
    if (loaded === undefined) throw issuableNotFound(this.type);
    return loaded;
  }
}
