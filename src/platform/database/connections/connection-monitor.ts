import { answers } from './database-hosts.js';

/** A connection that may wait for a server that is gone. */
export interface MonitoredConnection {
  /** Whether a statement waits for its result. */
  readonly isWaiting: boolean;
  /** Bytes that were sent and received so far. */
  readonly bytes: number;
  /** What a statement may take; Infinity without a limit. */
  readonly answerLimitMs: number;
  /** The address of its server alone. */
  readonly hostUrl: string;
  /** Ends the connection, and fails what waits for it. */
  abandon(reason: string): void;
}

interface MonitorTimes {
  readonly checkEveryMs: number;
  /** After so long without a byte the server is asked by another connection. */
  readonly askAfterMs: number;
  /** What it gets to answer that. */
  readonly askLimitMs: number;
}

/** A server with more to do than it can bear takes its time for a new connection, and is not to be left for that. */
const USUAL_TIMES: MonitorTimes = { checkEveryMs: 1_000, askAfterMs: 5_000, askLimitMs: 8_000 };

interface Silence {
  /** When the wait began, by `MonitoredConnection.bytes`. */
  readonly bytes: number;
  readonly since: number;
}

/**
 * Ends connections whose server does not answer any more: its machine lost its power or its cable. Linux would send a
 * statement again for a quarter of an hour, since keepalive begins when nothing is under way, and Node cannot set
 * `TCP_USER_TIMEOUT`. A statement that takes long on a server that answers others goes on.
 */
export class ConnectionMonitor {
  private readonly connections = new Map<MonitoredConnection, Silence | undefined>();
  private readonly asked = new Set<string>();
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly times = USUAL_TIMES) {}

  add(connection: MonitoredConnection): void {
    this.connections.set(connection, undefined);
    this.timer ??= setInterval(() => this.check(), this.times.checkEveryMs).unref();
  }

  remove(connection: MonitoredConnection): void {
    this.connections.delete(connection);
    if (this.connections.size > 0) return;
    clearInterval(this.timer);
    this.timer = undefined;
  }

  private check(): void {
    const now = performance.now();
    for (const [connection, silence] of this.connections) {
      if (!connection.isWaiting) this.connections.set(connection, undefined);
      else if (silence?.bytes !== connection.bytes) {
        this.connections.set(connection, { bytes: connection.bytes, since: now });
      } else this.judge(connection, now - silence.since);
    }
  }

  private judge(connection: MonitoredConnection, silentMs: number): void {
    if (silentMs > connection.answerLimitMs) {
      connection.abandon(`A statement had no answer within ${seconds(silentMs)}`);
    } else if (silentMs > this.times.askAfterMs) void this.ask(connection.hostUrl);
  }

  /** Asks a server, once at a time, and ends the connections that have waited for it if it does not answer. */
  private async ask(hostUrl: string): Promise<void> {
    if (this.asked.has(hostUrl)) return;
    this.asked.add(hostUrl);
    try {
      const waiting = [...this.connections].filter(([{ hostUrl: own }]) => own === hostUrl);
      if (await answers(hostUrl, this.times.askLimitMs)) return;
      for (const [connection, silence] of waiting) {
        const isSilent = connection.isWaiting && silence?.bytes === connection.bytes;
        if (isSilent) connection.abandon('The server of the database does not answer');
      }
    } finally {
      this.asked.delete(hostUrl);
    }
  }
}

const seconds = (milliseconds: number): string => `${String(Math.round(milliseconds / 1_000))} s`;
