import { DataSource } from 'typeorm';
import {
  PreparingClient,
  SnakeCaseNamingStrategy,
} from '../../../../src/platform/database/index.js';
import { OutboxJob } from '../../../../src/platform/queue/index.js';
import { createDatabase } from '../../../support/database.js';

/** A migrated database of its own, with a table for what handlers do. */
export interface QueueDatabase {
  readonly url: string;
  readonly dataSource: DataSource;
  drop(): Promise<void>;
  /** Runs work while the database takes no connections, and has cut off those there were. */
  away<T>(work: () => Promise<T>): Promise<T>;
}

export async function createQueueDatabase(): Promise<QueueDatabase> {
  const { url, drop, close, open } = await createDatabase();
  const dataSource = await new DataSource(dataSourceOptions(url)).initialize();
  await dataSource.query(
    'CREATE TABLE effects (id serial PRIMARY KEY, key text NOT NULL, note text)',
  );
  return {
    url,
    dataSource,
    drop: async () => {
      await dataSource.destroy();
      await drop();
    },
    away: async (work) => {
      await close();
      return work().finally(open);
    },
  };
}

export function dataSourceOptions(url: string): ConstructorParameters<typeof DataSource>[0] {
  return {
    type: 'postgres',
    url,
    entities: [OutboxJob],
    namingStrategy: new SnakeCaseNamingStrategy(),
    poolSize: 8,
    extra: { Client: PreparingClient },
  };
}
