import { AbstractConnector, type Redis } from 'ioredis';
import { connect as connectPlain, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import type { RedisAddress } from '../config/index.js';
import { askRedis } from './ask-redis.js';
import { hostOptions } from './connection-options.js';

type ClusterAddress = Extract<RedisAddress, { kind: 'cluster' }>;
type RedisHost = ClusterAddress['hosts'][number];
type SlotRange = readonly [from: number, to: number, ...nodes: (readonly [string, number])[]];

/** A cluster runs a script on keys of one slot only, which is that of the text in braces. */
export const CLUSTER_PREFIX = '{trellis}';
const ANY_KEY = `${CLUSTER_PREFIX}:marker`;
/** How long a node may take to say who has the slot, before the next one is asked. */
const NODE_TIMEOUT_MS = 2_000;
const RETRY_MS = 1_000;
const DISCONNECT_TIMEOUT_MS = 500;
const CLOSED = 'Connection is closed.';

/** What a node knows about the slot of the service's keys. */
export interface SlotOwner {
  readonly master: RedisHost;
  readonly replicas: readonly RedisHost[];
  /** `ok` while all slots have a master. */
  readonly state: string;
  /** All nodes that have slots. */
  readonly nodes: readonly RedisHost[];
}

/** @throws Error when the node does not answer, or knows of no master */
export async function askForSlot(redis: Redis): Promise<SlotOwner> {
  const [info, slot, answer] = await Promise.all([
    redis.cluster('INFO'),
    redis.cluster('KEYSLOT', ANY_KEY),
    redis.cluster('SLOTS') as Promise<unknown>,
  ]);
  const ranges = (answer as SlotRange[]).map(([from, to, ...nodes]) => ({
    has: from <= slot && slot <= to,
    // A node that does not know its own address leaves it out.
    hosts: nodes.flatMap(([host, port]) => (host ? [{ host, port }] : [])),
  }));
  const [master, ...replicas] = ranges.find(({ has }) => has)?.hosts ?? [];
  if (master === undefined) throw new Error(`No node of the cluster has the slot ${slot}`);
  const state = /^cluster_state:(\w+)/m.exec(info)?.[1] ?? 'unknown';
  return { master, replicas, state, nodes: ranges.flatMap(({ hosts }) => hosts) };
}

/**
 * Makes the class by which a connection finds its server: the master that has the slot of the service's keys at that
 * time. All keys are in this slot, so that a cluster takes one connection, as a single server does.
 */
export function clusterConnector(address: ClusterAddress): new () => AbstractConnector {
  return class extends AbstractConnector {
    /** That to be asked first comes first. */
    private hosts: readonly RedisHost[] = address.hosts;

    constructor() {
      super(DISCONNECT_TIMEOUT_MS);
    }

    /** Whether `disconnect` was called meanwhile. */
    private get isEnded(): boolean {
      return !this.connecting;
    }

    override check({ role }: { role?: string }): boolean {
      return role === undefined || role === 'master';
    }

    override async connect(report: (type: string, error: Error) => void): Promise<Socket> {
      this.connecting = true;
      for (;;) {
        try {
          const master = await this.findMaster();
          return this.open(master);
        } catch (error) {
          if (this.isEnded) throw error;
          report('error', error as Error);
          await delay(RETRY_MS, undefined, { ref: false });
        }
      }
    }

    private async findMaster(): Promise<RedisHost> {
      let failure = new Error('The cluster has no nodes');
      for (const host of this.hosts) {
        try {
          const { master, state, nodes } = await askNode(address, host);
          if (state !== 'ok') throw new Error(`The state of the cluster is ${state}`);
          this.hosts = distinct([...nodes, ...address.hosts]);
          return master;
        } catch (error) {
          failure = error as Error;
        }
        if (this.isEnded) throw new Error(CLOSED);
      }
      throw failure;
    }

    private open(master: RedisHost): Socket {
      if (this.isEnded) throw new Error(CLOSED);
      const stream = address.isEncrypted ? connectTls({ ...master }) : connectPlain({ ...master });
      this.stream = stream;
      stream.once('error', (error: Error) => (this.firstError = error));
      return stream;
    }
  };
}

const distinct = (hosts: readonly RedisHost[]): RedisHost[] => [
  ...new Map(hosts.map((each) => [`${each.host} ${each.port}`, each])).values(),
];

function askNode(address: ClusterAddress, host: RedisHost): Promise<SlotOwner> {
  const server = {
    ...hostOptions(address),
    ...host,
    disconnectTimeout: DISCONNECT_TIMEOUT_MS,
  };
  return askRedis(server, NODE_TIMEOUT_MS, askForSlot);
}
