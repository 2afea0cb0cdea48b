import { readFileSync } from 'node:fs';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { AttachedValue } from '../../async/index.js';
import { type DomainError, tooManyRequests, unavailable } from '../../errors/index.js';
import { clientNetwork, HTTP_CONNECTIONS } from '../../limits/index.js';
import { exceededBudgets } from '../../metrics/index.js';
import { inNetworks } from '../../net/index.js';
import { answerOf } from '../errors/refusal-answers.js';
import { lastAnswer } from './last-answers.js';

const LOOPBACK = ['127.0.0.0/8', '::1'];
const OPEN_FILES = /^Max open files +(\d+)/m;
const RETRY_SECONDS = 5;

interface ConnectionLimits {
  readonly total: number;
  readonly perAddress: number;
  /** Whether the connections of an address count in total only. */
  readonly isExempt: (address: string) => boolean;
}

/** The limits of this process. @param proxies addresses and networks of trusted proxies */
export function connectionLimits(proxies: readonly string[]): ConnectionLimits {
  const { total, shareOfFiles, perAddress } = HTTP_CONNECTIONS;
  return {
    total: Math.min(total, Math.floor(shareOfFiles * mostOpenFiles())),
    perAddress,
    isExempt: inNetworks([...LOOPBACK, ...proxies]),
  };
}

/** How many files and connections the process may have open; unlimited where the system has no `/proc`. */
function mostOpenFiles(): number {
  try {
    return Number(OPEN_FILES.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1] ?? Infinity);
  } catch {
    return Infinity;
  }
}

/** Connections that count together. */
class Group {
  count = 0;
  /** Those without a request that is under way, beginning with the one that has been so for longest. */
  readonly idle = new Set<Socket>();

  /** @param refusal what a new connection is answered when all are busy */
  constructor(
    private readonly limit: number,
    readonly refusal: DomainError,
  ) {}

  get isFull(): boolean {
    return this.count >= this.limit;
  }
}

interface Connection {
  /** Null where connections of the address are not limited. */
  readonly network: string | null;
  readonly groups: readonly Group[];
  /** How many requests are under way. */
  requests: number;
}

/**
 * Limits the connections of a server, in all and of each address. Where there is no room for a new one, the one that has been
 * idle for longest is closed, so that idle connections lock nobody out. Where all are busy, the new one is refused.
 */
export function limitConnections(server: Server, limits: ConnectionLimits): void {
  const table = new ConnectionTable(limits);
  server.on('connection', (socket: Socket) => {
    const refusal = table.admit(socket);
    if (refusal === undefined) return;
    exceededBudgets.inc({ budget: 'http_connections' });
    socket.end(lastAnswer(answerOf(refusal)), () => socket.destroy());
  });
  server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    table.begin(socket);
    response.once('close', () => table.end(socket));
  });
}

class ConnectionTable {
  private readonly connections = new AttachedValue<Connection | undefined>();
  private readonly all: Group;
  private readonly byNetwork = new Map<string, Group>();

  constructor(private readonly limits: ConnectionLimits) {
    this.all = new Group(limits.total, unavailable(RETRY_SECONDS));
  }

  /** Counts a new connection. @returns the refusal where there is no room for it */
  admit(socket: Socket): DomainError | undefined {
    const { remoteAddress = '' } = socket;
    const network = this.limits.isExempt(remoteAddress) ? null : clientNetwork(remoteAddress);
    const groups = network === null ? [this.all] : [this.groupOf(network), this.all];
    for (const group of groups) {
      if (group.isFull) this.closeIdle(group);
      if (group.isFull) return group.refusal;
    }
    this.connections.set(socket, { network, groups, requests: 0 });
    for (const group of groups) {
      group.count += 1;
      group.idle.add(socket);
    }
    socket.once('close', () => this.remove(socket));
    return undefined;
  }

  begin(socket: Socket): void {
    const connection = this.connections.get(socket);
    if (connection === undefined) return;
    connection.requests += 1;
    for (const { idle } of connection.groups) idle.delete(socket);
  }

  end(socket: Socket): void {
    const connection = this.connections.get(socket);
    if (connection === undefined) return;
    connection.requests -= 1;
    if (connection.requests > 0) return;
    for (const { idle } of connection.groups) idle.add(socket);
  }

  private groupOf(network: string): Group {
    const known = this.byNetwork.get(network);
    if (known !== undefined) return known;
    const group = new Group(this.limits.perAddress, tooManyRequests(RETRY_SECONDS));
    this.byNetwork.set(network, group);
    return group;
  }

  private closeIdle({ idle }: Group): void {
    const [longest] = idle;
    if (longest === undefined) return;
    this.remove(longest);
    longest.destroy();
  }

  private remove(socket: Socket): void {
    const connection = this.connections.get(socket);
    if (connection === undefined) return;
    this.connections.set(socket, undefined);
    for (const group of connection.groups) {
      group.count -= 1;
      group.idle.delete(socket);
    }
    const { network, groups } = connection;
    if (network !== null && groups[0]?.count === 0) this.byNetwork.delete(network);
  }
}
