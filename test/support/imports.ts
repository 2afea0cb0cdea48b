import { readdir } from 'node:fs/promises';
import path from 'node:path';
import type { Test } from 'supertest';
import { ProjectStorage } from '../../src/modules/storage/index.js';
import { type Person, unique } from './factories.js';
import type { Trellis } from './trellis.js';
import { until } from './until.js';

export interface ImportRow {
  state: string;
  progress: number;
  failure: string | null;
  address: string;
  credentials_sealed: string | null;
  user_id: number;
}

/** Makes projects that are filled from elsewhere, and looks at what becomes of them. */
export class Imports {
  constructor(
    private readonly trellis: Trellis,
    private readonly owner: Person,
  ) {}

  ask(url: string): Test {
    const body = { name: `project-${unique()}`, import_url: url };
    return this.trellis.as(this.owner).post('/projects', body);
  }

  /** Resolves when the import has ended. */
  async run(url: string): Promise<{ id: number; row: ImportRow }> {
    const { id } = (await this.ask(url).expect(200)).body as { id: number };
    return { id, row: await this.ended(id) };
  }

  ended(id: number): Promise<ImportRow> {
    return until(async () => {
      const row = await this.row(id);
      return row.state === 'finished' || row.state === 'failed' ? row : null;
    });
  }

  async row(id: number): Promise<ImportRow> {
    const sql = 'SELECT * FROM project_imports WHERE project_id = $1';
    return (await this.trellis.rows<ImportRow>(sql, [id]))[0] as ImportRow;
  }

  async projectRow(id: number): Promise<Record<string, unknown>> {
    const [row] = await this.trellis.rows('SELECT * FROM projects WHERE id = $1', [id]);
    return row as Record<string, unknown>;
  }

  folderOf({ id }: { id: number }): string {
    return this.trellis.app.get(ProjectStorage).path({ id, storage: 'default' });
  }

  /** What lies beside a repository and belongs to it: nothing, when nobody is at work on it. */
  async aside(id: number): Promise<string[]> {
    const folder = this.folderOf({ id });
    const names = await readdir(path.dirname(folder));
    return names.filter((name) => name.startsWith(`${path.basename(folder)}.`));
  }

  /** The tables that have one of some texts in them, whatever the column. */
  async tablesWith(texts: readonly string[]): Promise<string[]> {
    const tables = await this.trellis.rows<{ name: string }>(
      `SELECT format('%I.%I', table_schema, table_name) AS name FROM information_schema.tables
        WHERE table_type = 'BASE TABLE' AND table_schema NOT IN ('pg_catalog', 'information_schema')`,
    );
    const found: string[] = [];
    for (const { name } of tables) {
      const rows = await this.trellis.rows(
        `SELECT 1 FROM ${name} AS t, unnest($1::text[]) AS secret
          WHERE position(secret in t::text) > 0 LIMIT 1`,
        [texts],
      );
      if (rows.length > 0) found.push(name);
    }
    return found;
  }
}
