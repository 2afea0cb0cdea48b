import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { Redis } from 'ioredis';
import { freePort } from '../../scripts/free-port.mjs';
import { startRedis } from '../../scripts/redis.mjs';

/** A redis-server of the script's own, to be stopped and emptied as it likes. */
export class OwnRedis {
  #running;

  /** @param args of the server, beyond those that every server of a campaign has */
  constructor(folder, port, args = []) {
    Object.assign(this, { folder, port, args });
  }

  /** Starts one below the scratch folder, on a free port. */
  static async start(scratch) {
    const folder = path.join(scratch.folder, 'redis');
    await mkdir(folder);
    const redis = new OwnRedis(folder, await freePort());
    await redis.resume();
    scratch.defer(() => redis.kill());
    return redis;
  }

  get url() {
    return `redis://127.0.0.1:${this.port}`;
  }

  /** Starts it again with what it has written to its file. */
  async resume() {
    this.#running = await startRedis(this);
  }

  async kill() {
    this.#running?.child.kill('SIGKILL');
    await this.#running?.ended;
  }

  /** Holds connections open and answers nothing, until it is thawed. */
  freeze() {
    this.#running.child.kill('SIGSTOP');
  }

  thaw() {
    this.#running.child.kill('SIGCONT');
  }

  async empty() {
    const redis = new Redis(this.url);
    try {
      await redis.flushall();
    } finally {
      redis.disconnect();
    }
  }
}
