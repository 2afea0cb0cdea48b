import { spawnSync } from 'node:child_process';

/** Whether there is a redis-server on the PATH, for tests that need one of their own. */
export const hasRedisServer =
  spawnSync('redis-server', ['--version'], { stdio: 'ignore' }).status === 0;
