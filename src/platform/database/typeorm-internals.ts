import type { Pool } from 'pg';
import type { DataSource, QueryRunner } from 'typeorm';
import type { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js';

// What TypeORM keeps to itself. Test: test/unit/platform/transaction-pool.spec.ts.

/** The pool of a data source. TypeORM offers its connections by query runners alone, which cost promises for each statement. */
export const poolOf = (dataSource: DataSource): Pool => driverOf(dataSource).master as Pool;

/**
 * Creates a query runner that takes its connection from another pool. A second data source, TypeORM's own way, would
 * build the descriptions of all entities again.
 */
export function queryRunnerOn(dataSource: DataSource, pool: Pool): QueryRunner {
  const driver = Object.create(driverOf(dataSource), { master: { value: pool } }) as PostgresDriver;
  const runner = driver.createQueryRunner('master');
  return Object.assign(runner, { manager: dataSource.createEntityManager(runner) });
}

const driverOf = ({ driver }: DataSource): PostgresDriver => driver as PostgresDriver;
