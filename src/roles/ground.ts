import path from 'node:path';
import type { Logger } from 'pino';
import { Git, type GitOptions } from '../git/index.js';
import { currentWorkKind } from '../platform/async/index.js';
import { type Config, loadSecretKey } from '../platform/config/index.js';
import { GIT_CLIENT_RATE, GIT_NEGOTIATION_MS } from '../platform/limits/index.js';
import { Secrets } from '../platform/secrets/index.js';
import { closeFilesToOthers } from './private-files.js';

/** What a process opens before its modules are put together. */
export interface Ground {
  config: Config;
  /** Of the configured PostgreSQL or of the embedded one. */
  databaseUrl: string;
  git: Git;
  secrets: Secrets;
  logger: Logger;
}

/** What a client of Git may cost; other limits than the ordinary ones in tests. */
export type GitLimits = Pick<GitOptions, 'clientRate' | 'negotiationMs' | 'streamIdleMs'>;

const GIT_LIMITS: GitLimits = {
  clientRate: GIT_CLIENT_RATE,
  negotiationMs: GIT_NEGOTIATION_MS,
};

/** @throws GitUnavailableError when git is missing or too old */
export async function openGround(
  config: Config,
  databaseUrl: string,
  logger: Logger,
  gitLimits = GIT_LIMITS,
): Promise<Ground> {
  await closeFilesToOthers(config, logger);
  const secrets = new Secrets(await loadSecretKey(config));
  const runtimeDir = path.join(config.dataDir, 'run');
  const git = await Git.open({ runtimeDir, currentWorkKind, ...gitLimits });
  return { config, databaseUrl, git, secrets, logger };
}
