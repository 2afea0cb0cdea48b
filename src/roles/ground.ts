import path from 'node:path';
import type { Logger } from 'pino';
import { Git } from '../git/index.js';
import { currentWorkKind } from '../platform/async/index.js';
import { type Config, loadSecretKey } from '../platform/config/index.js';
import { Secrets } from '../platform/secrets/index.js';

/** What a process opens before its modules are put together. */
export interface Ground {
  config: Config;
  /** Of the configured PostgreSQL or of the embedded one. */
  databaseUrl: string;
  git: Git;
  secrets: Secrets;
  logger: Logger;
}

/** @throws GitUnavailableError when git is missing or too old */
export async function openGround(
  config: Config,
  databaseUrl: string,
  logger: Logger,
): Promise<Ground> {
  const secrets = new Secrets(await loadSecretKey(config));
  const runtimeDir = path.join(config.dataDir, 'run');
  const git = await Git.open({ runtimeDir, currentWorkKind });
  return { config, databaseUrl, git, secrets, logger };
}
