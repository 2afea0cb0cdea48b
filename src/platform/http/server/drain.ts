import type { RequestHandler, Response } from 'express';
import type { Server } from 'node:http';
import { UnorderedSet } from '../../collections/index.js';
import { unavailable } from '../../errors/index.js';
import { sendJson } from '../answers/send-json.js';
import { answerOf } from '../errors/refusal-answers.js';

/** How draining ended. */
interface DrainResult {
  /** Requests whose connection was cut because they did not finish in time. */
  readonly cut: number;
}

/**
 * Ends a server gracefully: it accepts no more connections, kept-alive ones are closed with their next
 * answer, and requests in flight are given time to finish.
 */
export class HttpDrain {
  /** The responses that have not been sent completely. */
  readonly inFlight = new UnorderedSet<Response>();
  private started: Promise<DrainResult> | undefined;
  private onIdle: (() => void) | undefined;

  constructor(private readonly server: Server) {}

  get draining(): boolean {
    return this.started !== undefined;
  }

  /** Counts requests, and refuses new ones on kept-alive connections while draining. */
  readonly middleware: RequestHandler = (_request, response, next) => {
    if (this.draining) {
      const { status, body } = answerOf(unavailable());
      sendJson(response.set('Connection', 'close').status(status), JSON.stringify(body));
      return;
    }
    this.inFlight.add(response);
    response.once('close', () => this.finished(response));
    next();
  };

  /**
   * Drains once; further calls wait for the same end.
   *
   * @param limitMs how long requests in flight may take; what is left then is cut
   */
  drain(limitMs = 30_000): Promise<DrainResult> {
    this.started ??= this.run(limitMs);
    return this.started;
  }

  private async run(limitMs: number): Promise<DrainResult> {
    const closed = new Promise<void>((resolve) => {
      if (!this.server.listening) resolve();
      else this.server.close(() => resolve());
    });
    this.server.closeIdleConnections();
    for (const response of this.inFlight) {
      if (!response.headersSent) response.setHeader('Connection', 'close');
    }
    await this.idleWithin(limitMs);
    const cut = this.inFlight.size;
    this.server.closeAllConnections();
    await closed;
    return { cut };
  }

  private async idleWithin(limitMs: number): Promise<void> {
    if (this.inFlight.size === 0) return;
    await new Promise<void>((resolve) => {
      const limit = setTimeout(resolve, limitMs);
      this.onIdle = () => {
        clearTimeout(limit);
        resolve();
      };
    });
  }

  private finished(response: Response): void {
    this.inFlight.delete(response);
    if (this.inFlight.size === 0) this.onIdle?.();
  }
}
