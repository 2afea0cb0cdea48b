import type { INestApplicationContext } from '@nestjs/common';
import { Database } from '../../platform/database/index.js';

/** Has PostgreSQL collect statistics of what an import has written. By itself it would do so about a minute later. */
export async function analyzeTables(app: INestApplicationContext): Promise<void> {
  await app.get(Database).rows('ANALYZE');
}
