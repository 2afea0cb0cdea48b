import { mkdir } from 'node:fs/promises';
import { freePort } from '../../scripts/free-port.mjs';
import { hasRedisServer, startRedis } from '../../scripts/redis.mjs';
import { start } from '../children.mjs';

/**
 * Starts a Redis with the settings that operators are told to use, if the machine has one.
 * @param {string} folder that it writes to
 * @returns {Promise<string | undefined>} its address
 */
export async function startOwnRedis(folder) {
  if (!(await hasRedisServer())) return undefined;
  await mkdir(folder);
  const port = await freePort();
  await startRedis({ folder, port, launch: start });
  return `redis://127.0.0.1:${port}/0`;
}
