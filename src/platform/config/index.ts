export {
  Config,
  loadConfig,
  metricsAccess,
  requireDatabaseUrl,
  type TracingConfig,
} from './config.js';
export { hostAddresses } from './host-addresses.js';
export { createOnce, replaceFile, syncFolder, writeNewFile } from './create-once.js';
export {
  ConfigError,
  describeSettings,
  readEnvironment,
  renderEnvExample,
  type EffectiveSetting,
  unknownVariables,
  withoutLineBreak,
} from './environment.js';
export { buildOf, packageRoot, programVersion, userAgent } from './manifest.js';
export { parseRedisAddress, type RedisAddress } from './redis-address.js';
export { VARIABLES } from './schema.js';
export { basePathOf, Urls } from './urls.js';
export { hasUserNameForm, isReservedUserName } from './user-name.js';
