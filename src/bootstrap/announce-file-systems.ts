import type { Logger } from 'pino';
import type { Config } from '../platform/config/index.js';
import { adviceFor, describeFileSystem, findFileSystems } from '../platform/monitoring/index.js';

/** Logs which storages lie on file systems that are not local, and what these lack. */
export async function announceFileSystems(config: Config, logger: Logger): Promise<void> {
  for (const fileSystem of await findFileSystems(config)) {
    if (fileSystem.isLocal) continue;
    const where = `${fileSystem.name} is not on a local file system: ${describeFileSystem(fileSystem)}`;
    const advice = adviceFor(fileSystem);
    if (advice === undefined) logger.info(where);
    else logger.warn(`${where}; ${advice}`);
  }
}
