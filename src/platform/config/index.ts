export {
  Config,
  loadConfig,
  type DatabaseConfig,
  type HttpConfig,
  type RootConfig,
  type SshConfig,
} from './config.js';
export { createOnce, replaceFile, syncFolder, writeNewFile } from './create-once.js';
export { renderEnvExample } from './env-example.js';
export { readEnvironment } from './environment.js';
export { manifest, type Manifest } from './manifest.js';
export { ConfigError } from './parse.js';
export { requireDatabaseUrl } from './require-database-url.js';
export { loadSecretKey } from './secret-key.js';
export { hasUserNameForm, RESERVED_USER_NAMES } from './user-name.js';
