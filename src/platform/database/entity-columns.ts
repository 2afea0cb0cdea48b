import type { EntityMetadata, ObjectLiteral } from 'typeorm';

interface EntityColumn {
  readonly property: string;
  /** The column, or the query of a virtual one, in the terms of a table's alias. */
  readonly expression: (alias: string) => string;
}

/**
 * The columns of an entity for statements that are written by hand. TypeORM's query builder spends more
 * time on a look-up by key than PostgreSQL does; hot reads go without it.
 */
export class EntityColumns<Entity extends ObjectLiteral> {
  private readonly columns: readonly EntityColumn[];

  constructor(private readonly metadata: EntityMetadata) {
    this.columns = metadata.columns.map(({ propertyName, databaseName, query }) => ({
      property: propertyName,
      expression: (alias) => (query ? `(${query(alias)})` : `${alias}.${databaseName}`),
    }));
  }

  /** @param prefix tells the columns apart from those of other entities in one statement */
  list(alias: string, prefix = ''): string {
    return this.columns
      .map(({ property, expression }) => `${expression(alias)} AS "${prefix}${property}"`)
      .join(', ');
  }

  /** The entity of a row whose columns are those of `list` with the same prefix. */
  read(row: Readonly<Record<string, unknown>>, prefix = ''): Entity {
    const entity = this.metadata.create() as Record<string, unknown>;
    for (const { property } of this.columns) entity[property] = row[prefix + property];
    return entity as Entity;
  }
}
