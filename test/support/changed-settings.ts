import { type Config, loadConfig, type VARIABLES } from '../../src/platform/config/index.js';

/** The variables that the service reads where it uses them, not when it starts. */
export type ChangeableSetting = Extract<
  keyof typeof VARIABLES,
  | 'API_COMPATIBILITY_VERSION'
  | 'API_V4_COMPATIBILITY_VERSION'
  | 'AUDIT_RETENTION_DAYS'
  | 'EXTERNAL_URL'
  | 'FILE_MAX_BYTES'
  | 'PROJECT_MAX_BYTES'
  | 'PUSH_MAX_BYTES'
  | 'PUSH_MAX_UNPACKED_BYTES'
  | 'QUICK_ACTIONS'
  | 'REPOSITORY_STORAGES'
  | 'SSH_EXTERNAL_HOST'
  | 'SSH_EXTERNAL_PORT'
  | 'STATUS_PROFILE'
  | 'WEBHOOK_ALLOW_LOCAL'
  | 'WEBHOOK_RETRY_SECONDS'
>;

export type ChangedSettings = Partial<Record<ChangeableSetting, string>>;

/**
 * Makes the configuration of a running service what these variables say; it keeps its ports.
 * @returns what restores the configuration
 */
export function changeConfig(config: Config, env: NodeJS.ProcessEnv): () => void {
  const before = { ...config };
  const changed = loadConfig(env);
  changed.bindHttpPort(config.http.port);
  if (config.ssh.port !== 'off') changed.bindSshPort(config.ssh.port);
  become(config, changed);
  return () => become(config, before);
}

function become(config: Config, other: object): void {
  for (const key of Object.keys(config)) if (!(key in other)) Reflect.deleteProperty(config, key);
  Object.assign(config, other);
}
