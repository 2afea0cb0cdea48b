import type { Config } from '../../platform/config/index.js';
import type { ReplicaState } from '../../platform/database/index.js';
import { PROBE_LIMIT_MS, withinLimit } from './time-limit.js';

/**
 * Asks the standbys that answer reads how far behind the primary they are.
 * @param url of the primary
 * @throws Error when the primary cannot be reached
 */
export async function probeReplicas(config: Config, url: string): Promise<ReplicaState[]> {
  if (config.database.replicaUrls.length === 0) return [];
  const { DataSource } = await import('typeorm');
  const { dataSourceOptions, replicasOptions } = await import('../../../ormconfig.js');
  const { Replicas } = await import('../../platform/database/index.js');
  const settings = { url, poolSize: 2, statementTimeoutMs: PROBE_LIMIT_MS };
  const dataSource = await new DataSource(dataSourceOptions(settings)).initialize();
  const replicas = new Replicas(dataSource, replicasOptions(config));
  try {
    return await withinLimit(replicas.states());
  } finally {
    await replicas.onApplicationShutdown();
    await dataSource.destroy();
  }
}
