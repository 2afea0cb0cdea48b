import type { DataSource, QueryRunner } from 'typeorm';

interface Column {
  table: string;
  name: string;
  type: string;
  /** Whether an INSERT without it fails. */
  required: boolean;
}

interface Constraint {
  table: string;
  name: string;
  columns: string[];
}

/** What statements of a version rely on. */
export interface Schema {
  columns: ReadonlyMap<string, Column>;
  tables: ReadonlySet<string>;
  constraints: ReadonlyMap<string, Constraint>;
}

const COLUMNS = `
  SELECT c.relname AS table, a.attname AS name, format_type(a.atttypid, a.atttypmod) AS type,
         a.attnotnull AND NOT a.atthasdef AND a.attidentity = '' AS required
    FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
   WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p')
     AND a.attnum > 0 AND NOT a.attisdropped`;

/** CHECK, FOREIGN KEY and EXCLUDE constraints, and unique indexes; those of an expression concern all columns. */
const CONSTRAINTS = `
  SELECT conrelid::regclass::text AS table, conname AS name,
         ARRAY(SELECT attname::text FROM pg_attribute WHERE attrelid = conrelid AND attnum = ANY (conkey)) AS columns
    FROM pg_constraint
   WHERE connamespace = 'public'::regnamespace AND conrelid <> 0 AND contype IN ('c', 'f', 'x')
   UNION ALL
  SELECT indrelid::regclass::text, indexrelid::regclass::text,
         ARRAY(SELECT attname::text FROM pg_attribute WHERE attrelid = indrelid AND attnum = ANY (indkey::int2[]))
    FROM pg_index JOIN pg_class c ON c.oid = indexrelid
   WHERE indisunique AND c.relnamespace = 'public'::regnamespace`;

/** @param source a connection, or what has some */
export async function readSchema(source: DataSource | QueryRunner): Promise<Schema> {
  const columns = (await source.query(COLUMNS)) as Column[];
  const constraints = (await source.query(CONSTRAINTS)) as Constraint[];
  return {
    columns: new Map(columns.map((column) => [`${column.table}.${column.name}`, column])),
    tables: new Set(columns.map(({ table }) => table)),
    constraints: new Map(constraints.map((each) => [`${each.table}: ${each.name}`, each])),
  };
}

/** The changes under which statements of the version before may fail. */
export function findBreakingChanges(before: Schema, after: Schema): string[] {
  const tables = [...before.tables].filter((table) => !after.tables.has(table));
  const lost = [...before.columns.values()].filter(
    ({ table, name }) => after.tables.has(table) && !after.columns.has(`${table}.${name}`),
  );
  const kept = [...after.columns].filter(([, { table }]) => before.tables.has(table));
  const changed = kept.flatMap(([path, column]) => {
    const old = before.columns.get(path);
    const required = column.required && old?.required !== true;
    return [
      ...(old !== undefined && old.type !== column.type
        ? [`${path} changes from ${old.type} to ${column.type}`]
        : []),
      ...(required ? [`${path} is required`] : []),
    ];
  });
  const restricted = [...after.constraints].filter(
    ([path, { table, columns }]) =>
      !before.constraints.has(path) &&
      before.tables.has(table) &&
      columns.every((name) => before.columns.has(`${table}.${name}`)),
  );
  return [
    ...tables.map((table) => `${table} is dropped`),
    ...lost.map(({ table, name }) => `${table}.${name} is dropped`),
    ...changed,
    ...restricted.map(([path]) => `${path} is new`),
  ].sort();
}
