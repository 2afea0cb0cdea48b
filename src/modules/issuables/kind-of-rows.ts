import type { Subject } from '../access/index.js';
import type { Issuable, NumberInProject } from './issuable.js';

/** What finds the rows of a kind: its repository. */
export interface IssuableRows<Row> {
  /** In no particular order, without those that are gone, with one statement. */
  findByIds(ids: readonly number[]): Promise<Row[]>;
  /** The same without the descriptions, which are long, and what belongs to them. */
  findHeads(ids: readonly number[]): Promise<HeadOf<Row>[]>;
  /** The same, by their numbers in projects. */
  findHeadsByIid(places: readonly NumberInProject[]): Promise<HeadOf<Row>[]>;
  /** The bytes of text that answers about each have, by ID: of its description and its milestone's. */
  textBytesOf(ids: readonly number[]): Promise<ReadonlyMap<number, number>>;
  /** Moves `updated_at` to now. @returns false for what is gone */
  touch(id: number): Promise<boolean>;
}

export type HeadOf<Row> = Omit<Row, 'description' | 'movedReferences'>;

/** What any `IssuableKind` does with its rows. */
export abstract class KindOfRows<Row extends { id: number }> {
  protected constructor(private readonly rows: IssuableRows<Row>) {}

  async find(ids: readonly number[]): Promise<ReadonlyMap<number, Issuable>> {
    const rows = await this.rows.findHeads(ids);
    return new Map(rows.map((row) => [row.id, this.issuableOf(row)] as const));
  }

  async findByIid(places: readonly NumberInProject[]): Promise<Issuable[]> {
    const rows = await this.rows.findHeadsByIid(places);
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

  protected abstract issuableOf(row: HeadOf<Row>): Issuable;

  /** By ID, with a constant number of statements. */
  protected abstract presentRows(
    rows: readonly Row[],
    reader: Subject,
  ): Promise<ReadonlyMap<number, object>>;
}
