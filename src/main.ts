import 'reflect-metadata';
import path from 'node:path';
import { ConfigError, loadConfig, readEnvironment } from './platform/config/index.js';
import { DataDirInUseError, EmbeddedPostgresError } from './platform/database/embedded/index.js';
import { GitUnavailableError } from './git/index.js';
import { WrongKeyError } from './platform/secrets/index.js';
import { UsageError } from './roles/replay.js';
import { PendingMigrationsError, run } from './roles/run.js';

/** Errors that the operator can fix; printed without a stack trace. */
const EXPLAINED = [
  ConfigError,
  DataDirInUseError,
  EmbeddedPostgresError,
  GitUnavailableError,
  PendingMigrationsError,
  UsageError,
  WrongKeyError,
];

/** The folder of package.json: this file is compiled to dist/src. */
const packageRoot = path.resolve(import.meta.dirname, '..', '..');

try {
  const config = loadConfig(readEnvironment());
  const [, , role = 'all', ...args] = process.argv;
  await run(role, { config, args, packageRoot, print: (text) => console.log(text) });
} catch (error) {
  console.error(EXPLAINED.some((kind) => error instanceof kind) ? (error as Error).message : error);
  process.exit(1);
}
