import type { DataSource, QueryRunner } from 'typeorm';

export interface MigrationProgress {
  readonly migration: string;
  /** How much of `total` is done, in rows for instance; both are absent when the migration begins. */
  readonly done?: number;
  readonly total?: number;
}

export type MigrationListener = (progress: MigrationProgress) => void;

const reporters = new WeakMap<QueryRunner, (done: number, total: number) => void>();

/** Notifies of each migration that begins, and of what it reports. TypeORM itself notifies of none. */
export function observeMigrations(dataSource: DataSource, listener: MigrationListener): void {
  for (const instance of dataSource.migrations) {
    const migration = instance.name ?? instance.constructor.name;
    const up = instance.up.bind(instance);
    instance.up = (runner) => {
      reporters.set(runner, (done, total) => listener({ migration, done, total }));
      listener({ migration });
      return up(runner);
    };
  }
}

/**
 * Reports how far a migration is, after each of its batches.
 * @param runner that the migration was given
 */
export function reportMigrationProgress(runner: QueryRunner, done: number, total: number): void {
  reporters.get(runner)?.(done, total);
}
