import type { Server, ServerResponse } from 'node:http';
import { READER_PACE, type ReaderPace } from '../../limits/index.js';
import { exceededBudgets } from '../../metrics/index.js';
import { deliveredBytes } from '../internals/node.js';

const SECOND = 1000;
const HOUR = 3_600 * SECOND;

/**
 * Time limits of the server. A push may legitimately send for hours, so the whole request has a
 * generous limit; a silent connection, and one that is slow with its headers, have short ones. The
 * size of headers stays at Node's 16 KiB.
 */
export function limitServer(server: Server): void {
  server.headersTimeout = 60 * SECOND;
  server.requestTimeout = 6 * HOUR;
  server.keepAliveTimeout = 65 * SECOND;
  // Without any byte in either direction; Git's side band keeps a working transfer alive.
  server.setTimeout(600 * SECOND);
}

interface Progress {
  readonly delivered: number;
  /** The most that has waited at once. */
  readonly waiting: number;
  /** By how many windows the client is behind. */
  readonly behind: number;
}

/**
 * Cuts off clients that do not read their answers: what waits for them holds memory, and slots of others.
 * Only time in which bytes wait counts, not what the service takes to make them.
 */
export function cutOffSlowReaders(
  server: Server,
  unanswered: Iterable<ServerResponse>,
  pace: ReaderPace = READER_PACE,
): void {
  const progress = new WeakMap<ServerResponse, Progress>();
  const check = (): void => {
    for (const response of unanswered) {
      const { socket } = response;
      if (socket === null || socket.destroyed) continue;
      const before = progress.get(response);
      const delivered = deliveredBytes(socket);
      const waits = response.writableLength + socket.writableLength;
      const waiting = Math.max(waits, before?.waiting ?? 0);
      let behind = 0;
      if (waits > 0 && before !== undefined) {
        const due = Math.max(pace.bytes, waiting / pace.windowsOfAll);
        behind = Math.max(0, before.behind + 1 - (delivered - before.delivered) / due);
      }
      progress.set(response, { delivered, waiting, behind });
      if (behind < pace.windows) continue;
      exceededBudgets.inc({ budget: 'reader_pace' });
      socket.destroy();
    }
  };
  const timer = setInterval(check, pace.windowMs).unref();
  server.once('close', () => clearInterval(timer));
}
