import { DefaultNamingStrategy, type EntityMetadata, type ObjectLiteral } from 'typeorm';

type ColumnMetadata = EntityMetadata['columns'][number];

interface EntityColumn {
  readonly property: string;
  /** The column, or the query of a virtual one, in the terms of a table's alias. */
  readonly expression: (alias: string) => string;
  /** Converts the stored value; undefined where the entity has it as it is. */
  readonly convert: ((stored: unknown) => unknown) | undefined;
}

/**
 * The columns of an entity for statements that are written by hand. TypeORM's query builder spends more
 * time on a look-up by key than PostgreSQL does; hot reads go without it.
 */
export class EntityColumns<Entity extends ObjectLiteral> {
  private readonly columns: readonly EntityColumn[];
  private readonly converted: readonly (readonly [
    property: string,
    convert: (stored: unknown) => unknown,
  ])[];
  private readonly times: readonly string[];
  private readonly keys = new Map<string, readonly (readonly [property: string, key: string])[]>();

  /** @param properties those to read; all when undefined */
  constructor(
    private readonly metadata: EntityMetadata,
    properties?: readonly string[],
  ) {
    const columns = metadata.columns.filter(
      ({ propertyName }) => properties?.includes(propertyName) ?? true,
    );
    this.columns = columns.map(entityColumn);
    this.converted = this.columns.flatMap(({ property, convert }) =>
      convert === undefined ? [] : [[property, convert] as const],
    );
    this.times = columns
      .filter(({ type }) => type === 'timestamptz')
      .map(({ propertyName }) => propertyName);
  }

  /** Selects some of the columns, for statements that need no others. */
  only<Property extends keyof Entity & string>(
    properties: readonly Property[],
  ): EntityColumns<Pick<Entity, Property>> {
    return new EntityColumns(this.metadata, properties);
  }

  /** The same columns without those of some properties. */
  without(...properties: readonly (keyof Entity & string)[]): EntityColumns<Entity> {
    const left = this.columns.map(({ property }) => property);
    return new EntityColumns(
      this.metadata,
      left.filter((property) => !properties.includes(property)),
    );
  }

  /** @param prefix distinguishes the columns from those of other entities in the same statement */
  list(alias: string, prefix = ''): string {
    return this.columns
      .map(({ property, expression }) => `${expression(alias)} AS "${prefix}${property}"`)
      .join(', ');
  }

  /** The entity of a row whose columns are those of `list` with the same prefix. */
  read(row: Readonly<Record<string, unknown>>, prefix = ''): Entity {
    const entity = this.metadata.create() as Record<string, unknown>;
    for (const [property, key] of this.keysOf(prefix)) entity[property] = row[key];
    for (const [property, convert] of this.converted) entity[property] = convert(entity[property]);
    return entity as Entity;
  }

  /** Converts the times of a row that came as JSON, in place: PostgreSQL writes them there as texts. */
  revive<Row extends object>(row: Row): Row {
    const values = row as Record<string, unknown>;
    for (const property of this.times) {
      const text = values[property];
      if (typeof text === 'string') values[property] = new Date(text);
    }
    return row;
  }

  /** The names of the columns in rows, put together once instead of for each row. */
  private keysOf(prefix: string): readonly (readonly [property: string, key: string])[] {
    const known = this.keys.get(prefix);
    if (known !== undefined) return known;
    const keys = this.columns.map(({ property }) => [property, prefix + property] as const);
    this.keys.set(prefix, keys);
    return keys;
  }
}

/** Reads days as text, as TypeORM does: the driver would make each a moment of the local time zone. */
function entityColumn({
  propertyName,
  databaseName,
  query,
  type,
  transformer,
}: ColumnMetadata): EntityColumn {
  const conversion = type === 'date' ? '::text' : '';
  return {
    property: propertyName,
    expression: (alias) => (query ? `(${query(alias)})` : `${alias}.${databaseName}${conversion}`),
    convert: conversionOf(transformer),
  };
}

function conversionOf(transformer: ColumnMetadata['transformer']): EntityColumn['convert'] {
  if (transformer === undefined) return undefined;
  const transformers = [transformer].flat();
  return (stored) => transformers.reduceRight((value, one) => one.from(value) as unknown, stored);
}

/** Maps `createdAt` to `created_at`: PostgreSQL's own convention, so that no SQL needs quotes. */
export class SnakeCaseNamingStrategy extends DefaultNamingStrategy {
  override columnName(property: string, custom: string, prefixes: string[]): string {
    return [...prefixes, custom || property].map(toSnakeCase).join('_');
  }
}

function toSnakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
