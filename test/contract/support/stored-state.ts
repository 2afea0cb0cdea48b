import type { Trellis } from '../../support/trellis.js';

/** What the path of a call names. */
export type ObjectKind = 'project' | 'group';

/** A digest of an object's rows in each table that refers to it, by the name of the table. */
export type State = Readonly<Record<string, string | null>>;

const TABLES = { project: 'projects', group: 'namespaces' } as const;
/** Columns that refer to one, in whatever part, as `source_project_id`. */
const REFERENCES = {
  project: /^(\w+_)?project_id$/,
  group: /^(\w+_)?(group|namespace)_id$/,
} as const;
/** What decides who may do what. */
const OF_ACCESS = ['projects', 'namespaces', 'project_members', 'group_members'];

/** Compares the rows of a project or group before and after a call. */
export class StoredState {
  private constructor(
    private readonly trellis: Trellis,
    /** Statements of one row for each table. */
    private readonly statements: Readonly<Record<ObjectKind, readonly string[]>>,
  ) {}

  static async of(trellis: Trellis): Promise<StoredState> {
    const columns = await trellis.rows<{ table: string; column: string }>(
      `SELECT table_name AS table, column_name AS column
         FROM information_schema.columns
         JOIN information_schema.tables USING (table_schema, table_name)
        WHERE table_schema = 'public' AND table_type = 'BASE TABLE' ORDER BY 1`,
    );
    const statements = (kind: ObjectKind): string[] => {
      const references = columns.filter(({ column }) => REFERENCES[kind].test(column));
      return [{ table: TABLES[kind], column: 'id' }, ...references].map(digestOf);
    };
    return new StoredState(trellis, {
      project: statements('project'),
      group: statements('group'),
    });
  }

  /** Everything. */
  read(kind: ObjectKind, id: number): Promise<State> {
    return this.digests(this.statements[kind], id);
  }

  /** What decides who may do what. */
  readAccess(kind: ObjectKind, id: number): Promise<State> {
    const isOfAccess = (sql: string) => OF_ACCESS.some((table) => sql.includes(` FROM ${table} `));
    return this.digests(this.statements[kind].filter(isOfAccess), id);
  }

  private async digests(statements: readonly string[], id: number): Promise<State> {
    const rows = await this.trellis.rows<{ name: string; digest: string | null }>(
      statements.join(' UNION ALL '),
      [id],
    );
    return Object.fromEntries(rows.map(({ name, digest }) => [name, digest]));
  }
}

function digestOf({ table, column }: { table: string; column: string }): string {
  return `SELECT '${table}.${column}' AS name, md5(string_agg(t::text, ' ' ORDER BY t::text)) AS digest
            FROM ${table} t WHERE ${column} = $1`;
}
