// Several servers of which each may be lost: with Sentinels, or as a cluster. All take the password.
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Redis } from 'ioredis';
import { freePort } from '../../scripts/free-port.mjs';
import { startRedisServer } from '../../scripts/redis.mjs';
import { HERE, until } from '../crash/processes.mjs';
import { OwnRedis, RedisProcess } from './own-redis.mjs';

const PASSWORD = 'a/b@c:d';
const ENCODED = encodeURIComponent(PASSWORD);
const MASTER = 'queues';
const SERVERS = 3;
const NOTICED_MS = 1_000;
const READY_MS = 30_000;
const ASK_MS = 500;
const POLL_MS = 50;
const ACCESS = ['--requirepass', PASSWORD, '--masterauth', PASSWORD];
/** A master that is cut off soon refuses what no replica would have. */
const SAFE = ['--min-replicas-to-write', '1', '--min-replicas-max-lag', '2'];
const SLOTS = 16_384;
/** Any key of the queues. */
const QUEUE_KEY = '{trellis}:marker';

/** Asks a server or a Sentinel; answers undefined if it does not answer. */
async function ask({ host, port }, question) {
  const redis = new Redis({
    ...{ host, port, password: PASSWORD, lazyConnect: true },
    ...{ commandTimeout: ASK_MS, connectTimeout: ASK_MS, retryStrategy: () => null },
  });
  redis.on('error', () => undefined);
  try {
    await redis.connect();
    return await question(redis);
  } catch {
    return undefined;
  } finally {
    redis.disconnect();
  }
}

/** @throws Error when the condition does not hold in time */
async function require(what, condition) {
  if (!(await until(condition, READY_MS, POLL_MS))) throw new Error(`Redis: ${what}, in vain`);
}

async function startServers(scratch, machines, argsOf) {
  const servers = [];
  for (const [index, machine] of machines.entries()) {
    const folder = path.join(scratch.folder, `redis-${index}`);
    await mkdir(folder);
    const args = [...ACCESS, ...(await argsOf(index, servers))];
    const server = new OwnRedis(folder, await freePort(), args, machine);
    scratch.defer(() => server.kill());
    await server.resume();
    servers.push(server);
  }
  return servers;
}

const hasReplica = (server) =>
  ask(server, async (redis) => /^slave0:.*state=online/m.test(await redis.info('replication')));

/** A server and its Sentinel, as on a machine of their own, three times. */
export class RedisWithSentinels {
  /** Starts them below the scratch folder. */
  static async start(scratch, machines = Array(SERVERS).fill(HERE)) {
    const servers = await startServers(scratch, machines, (index, [first]) => [
      ...SAFE,
      ...(index === 0 ? [] : ['--replicaof', `${first.host} ${first.port}`]),
    ]);
    await require('waiting for replicas', () => hasReplica(servers[0]));
    const sentinels = [];
    for (const server of servers) {
      const sentinel = new Sentinel(server, await freePort(), servers[0]);
      scratch.defer(() => sentinel.kill());
      await sentinel.configure();
      await sentinel.resume();
      sentinels.push(sentinel);
    }
    const redis = new RedisWithSentinels();
    Object.assign(redis, { servers, sentinels });
    await redis.untilSafe();
    return redis;
  }

  get url() {
    const hosts = this.sentinels.map(({ host, port }) => `${host}:${port}`).join(',');
    return `redis+sentinel://:${ENCODED}@${hosts}/0?master=${MASTER}&sentinel_password=${ENCODED}`;
  }

  /** The present master, according to the Sentinels that run. */
  async master() {
    for (const sentinel of this.sentinels) {
      const found = await ask(sentinel, (redis) =>
        redis.call('sentinel', 'get-master-addr-by-name', MASTER),
      );
      const [host, port] = found ?? [];
      const server = this.servers.find((each) => each.host === host && each.port === Number(port));
      if (server !== undefined) return server;
    }
    return undefined;
  }

  /** What runs on a machine. */
  on(machine) {
    return this.machineOf(this.servers.find(({ host }) => host === machine.host));
  }

  /** What is lost together with a server. */
  machineOf(server) {
    return [server, this.sentinels[this.servers.indexOf(server)]];
  }

  /** Waits until the loss of the master could be overcome. */
  async untilSafe() {
    await require('waiting for a master with a replica and a quorum', async () => {
      const master = await this.master();
      if (master === undefined || !(await hasReplica(master))) return false;
      const states = await Promise.all(
        this.sentinels.map((sentinel) =>
          ask(sentinel, async (redis) => {
            const answer = await redis.call('sentinel', 'master', MASTER);
            const value = (name) => answer[answer.indexOf(name) + 1];
            const isKnown = value('num-slaves') >= 2 && value('num-other-sentinels') >= 2;
            return isKnown && value('flags') === 'master';
          }),
        ),
      );
      return states.every(Boolean);
    });
  }
}

class Sentinel extends RedisProcess {
  /** @param server beside which it runs */
  constructor({ folder, host, launch }, port, master) {
    super(() => startRedisServer([this.file, '--sentinel'], this));
    const file = path.join(folder, 'sentinel.conf');
    Object.assign(this, { host, launch, port, master, file });
  }

  /** The Sentinel writes what it learns into the same file. */
  configure() {
    const lines = [
      `port ${this.port}`,
      `bind ${this.host}`,
      `dir ${path.dirname(this.file)}`,
      `requirepass ${PASSWORD}`,
      `sentinel sentinel-pass ${PASSWORD}`,
      `sentinel monitor ${MASTER} ${this.master.host} ${this.master.port} 2`,
      `sentinel auth-pass ${MASTER} ${PASSWORD}`,
      `sentinel down-after-milliseconds ${MASTER} ${NOTICED_MS}`,
      `sentinel failover-timeout ${MASTER} 5000`,
    ];
    return writeFile(this.file, `${lines.join('\n')}\n`);
  }
}

/** Three masters with a replica each. */
export class RedisCluster {
  /** Starts them below the scratch folder. */
  static async start(scratch) {
    const servers = await startServers(scratch, Array(2 * SERVERS).fill(HERE), async () => [
      ...['--cluster-enabled', 'yes', '--cluster-port', String(await freePort())],
      ...['--cluster-node-timeout', String(NOTICED_MS)],
    ]);
    const cluster = new RedisCluster();
    cluster.servers = servers;
    await cluster.#join();
    await cluster.untilSafe();
    return cluster;
  }

  async #join() {
    const { servers } = this;
    const [first] = servers;
    const busPort = ({ args }) => args[args.indexOf('--cluster-port') + 1];
    const nodes = await Promise.all(
      servers.map((server, index) =>
        ask(server, async (redis) => {
          await redis.cluster('SET-CONFIG-EPOCH', index + 1);
          if (index > 0) {
            await redis.cluster('MEET', '127.0.0.1', first.port, busPort(first));
          }
          if (index < SERVERS) {
            const [from, to] = [index, index + 1].map((n) => Math.floor((SLOTS * n) / SERVERS));
            await redis.cluster('ADDSLOTSRANGE', from, to - 1);
          }
          return redis.cluster('MYID');
        }),
      ),
    );
    const knowAll = (redis) => redis.cluster('INFO').then(isWhole);
    for (const [index, server] of servers.entries()) {
      await require('waiting for the cluster', () => ask(server, knowAll));
      if (index < SERVERS) continue;
      await require('making replicas', () =>
        ask(server, (redis) => redis.cluster('REPLICATE', nodes[index - SERVERS])));
    }
  }

  get url() {
    const hosts = this.servers.slice(0, SERVERS).map(({ port }) => `127.0.0.1:${port}`);
    return `redis+cluster://:${ENCODED}@${hosts.join(',')}`;
  }

  /** The present master of the queues, according to a node that runs. */
  async master() {
    for (const server of this.servers) {
      const found = await ask(server, findMaster);
      if (found !== undefined) return this.servers.find((each) => each.port === found);
    }
    return undefined;
  }

  machineOf(server) {
    return [server];
  }

  /** Waits until the loss of a master could be overcome. */
  async untilSafe() {
    await require('waiting for a cluster that is whole', async () => {
      const states = await Promise.all(
        this.servers.map((server) =>
          ask(server, async (redis) => {
            const info = await redis.cluster('INFO');
            const replication = await redis.info('replication');
            return /cluster_state:ok/.test(info) && isInUse(replication);
          }),
        ),
      );
      return states.every(Boolean);
    });
  }
}

const isWhole = (info) => new RegExp(`cluster_known_nodes:${2 * SERVERS}\\b`).test(info);
const isInUse = (info) => /^slave0:.*state=online|^master_link_status:up/m.test(info);

async function findMaster(redis) {
  const [info, slot, ranges] = await Promise.all([
    redis.cluster('INFO'),
    redis.cluster('KEYSLOT', QUEUE_KEY),
    redis.cluster('SLOTS'),
  ]);
  if (!/cluster_state:ok/.test(info)) throw new Error('The cluster is down');
  return ranges.find(([from, to]) => from <= slot && slot <= to)[2][1];
}
