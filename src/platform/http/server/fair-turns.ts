import { AsyncResource } from 'node:async_hooks';
import type { RequestHandler } from 'express';
import type { Server } from 'node:http';
import { clientNetwork, REQUEST_TURNS } from '../../limits/index.js';
import { isProbe } from '../../observability/index.js';
import { clientAddress } from '../request/client-address.js';

/**
 * Lets new connections be accepted before more requests begin, and the addresses take turns.
 *
 * libuv accepts one connection in each turn of the event loop, in the order in which they came. If all requests began as soon as they
 * were read, a newcomer behind hundreds of connections would wait for the work of all their requests. So while connections
 * are accepted, or a turn has taken long, requests wait in lines by address, and few begin in a turn. Those of load balancers
 * that ask whether the process is alive never wait.
 */
export function inFairTurns(server: Server): RequestHandler {
  const turns = new FairTurns();
  server.on('connection', () => turns.noteConnection());
  return (request, response, next) => {
    if (isProbe(request.path)) {
      next();
      return;
    }
    const start = (): void => {
      // Its client may have left.
      if (response.destroyed) return;
      try {
        next();
      } catch (failure) {
        // In a later turn, Express no longer catches what the next handler throws.
        next(failure);
      }
    };
    if (!turns.tryBegin(start)) turns.wait(clientNetwork(clientAddress(request)), start);
  };
}

class FairTurns {
  /** The requests that wait, by address; the addresses in the order of their turns. */
  private readonly lines = new Map<string, (() => void)[]>();
  /** When the first request or connection of the present turn came; undefined before it. */
  private turnBegan: number | undefined;
  private hasNewConnection = false;
  private lastBegan = 0;

  noteConnection(): void {
    this.hasNewConnection = true;
    this.watchTurn();
  }

  /** Begins a request at once, if there is no crowd. @returns whether it did */
  tryBegin(start: () => void): boolean {
    const elapsed = this.watchTurn();
    const isCrowded =
      this.lines.size > 0 || this.hasNewConnection || elapsed >= REQUEST_TURNS.longMs;
    if (!isCrowded) start();
    return !isCrowded;
  }

  /** Begins a request in a later turn of the event loop. */
  wait(network: string, start: () => void): void {
    const waiting = AsyncResource.bind(start);
    const line = this.lines.get(network);
    if (line === undefined) this.lines.set(network, [waiting]);
    else line.push(waiting);
  }

  /** @returns how long the present turn has taken, in milliseconds */
  private watchTurn(): number {
    const now = performance.now();
    if (this.turnBegan === undefined) {
      this.turnBegan = now;
      setImmediate(() => this.endTurn());
    }
    return now - this.turnBegan;
  }

  private endTurn(): void {
    const { hasNewConnection } = this;
    this.turnBegan = undefined;
    this.hasNewConnection = false;
    if (this.lines.size === 0) return;
    const now = performance.now();
    if (!hasNewConnection || now - this.lastBegan > REQUEST_TURNS.acceptMs) {
      this.lastBegan = now;
      this.beginNext();
    }
    if (this.lines.size > 0) this.watchTurn();
  }

  private beginNext(): void {
    const [first] = this.lines;
    if (first === undefined) return;
    const [network, line] = first;
    this.lines.delete(network);
    const start = line.shift();
    if (line.length > 0) this.lines.set(network, line);
    start?.();
  }
}
