import type { Config } from '../../platform/config/index.js';
import { adviceFor, describeFileSystem, findFileSystems } from '../../platform/monitoring/index.js';
import { type Check, ok, warning } from './check.js';

/** Checks the options of the file systems under `DATA_DIR` and the storages, where machines may share them. */
export async function checkMounts(config: Config): Promise<Check[]> {
  const found = await findFileSystems(config);
  return found.map((fileSystem) => {
    const name = `${fileSystem.name} mount`;
    const detail = describeFileSystem(fileSystem);
    const advice = adviceFor(fileSystem);
    return advice === undefined ? ok(name, detail) : warning(name, detail, advice);
  });
}
