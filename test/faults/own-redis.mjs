import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { Redis } from 'ioredis';
import { freePort } from '../../scripts/free-port.mjs';
import { startRedis } from '../../scripts/redis.mjs';
import { HERE } from '../crash/processes.mjs';

/** A process of Redis that a script stops as it likes. */
export class RedisProcess {
  #start;
  #running;

  /** @param start starts it, also again */
  constructor(start) {
    this.#start = start;
  }

  async resume() {
    this.#running = await this.#start();
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
}

/** A redis-server of the script's own, which keeps what it has written to its file. */
export class OwnRedis extends RedisProcess {
  /** @param args of the server, beyond those that every server of a campaign has */
  constructor(folder, port, args = [], machine = HERE) {
    super(() => startRedis(this));
    const launch = (...command) => machine.spawn(...command);
    Object.assign(this, { folder, port, args, host: machine.host, launch });
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
    return `redis://${this.host}:${this.port}`;
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
