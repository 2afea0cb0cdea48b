/** @operation */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DataSource } from 'typeorm';
import { dataSourceOptions } from '../../../ormconfig.js';
import { backUp, startRestored } from '../../support/restored-instance.js';
import { Trellis } from '../../support/trellis.js';

jest.setTimeout(120_000);

const COUNTS = `SELECT (SELECT json_agg(c) FROM issue_counts c) AS issues,
                       (SELECT json_agg(user_notes_count) FROM issues) AS notes`;

describe('a backup of an older version', () => {
  let folder: string;
  let trellis: Trellis;
  let schema: DataSource;

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'trellis-backup-'));
    trellis = await Trellis.start({ because: 'data of another instance' });
    const settings = { url: trellis.databaseUrl, poolSize: 2, statementTimeoutMs: 0 };
    schema = await new DataSource(dataSourceOptions(settings)).initialize();
  });
  afterAll(async () => {
    await schema.destroy();
    await trellis.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it('is restored by a newer one, which applies its migrations to the rows', async () => {
    const owner = await trellis.factories.user();
    const { id } = await trellis.factories.project(owner);
    const issues = `/projects/${String(id)}/issues`;
    const { body } = await trellis.as(owner).post(issues, { title: 'Kept' }).expect(200);
    const notes = `${issues}/${String((body as { id: number }).id)}/notes`;
    await trellis.as(owner).post(notes, { body: 'A comment' }).expect(200);
    const counts = await trellis.rows(COUNTS);
    const names = schema.migrations.map(({ name }) => name ?? '');
    const older = names.findIndex((name) => name.startsWith('KeptCounters'));
    for (let left = names.length; left > older; left -= 1) await schema.undoLastMigration();
    await expect(trellis.rows(COUNTS)).rejects.toThrow('user_notes_count');
    const backup = await backUp(trellis, folder);
    expect(backup.manifest.migrations).toHaveLength(older);

    const restored = await startRestored(backup.path);
    try {
      expect(await restored.rows(COUNTS)).toEqual(counts);
      await restored.as(owner).get(notes).expect(200);
    } finally {
      await restored.stop();
    }
  });
});
