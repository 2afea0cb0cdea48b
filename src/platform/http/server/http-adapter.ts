import type { Server } from 'node:http';
import { type NestApplicationOptions, StreamableFile } from '@nestjs/common';
import { ExpressAdapter } from '@nestjs/platform-express';
import type { Express, Response } from 'express';
import { ANSWER_MEMORY, FairSlots, HTTP_CONNECTIONS, LONG_LISTS } from '../../limits/index.js';
import { plannedAnswer } from '../answers/answer.guard.js';
import { type AnswerSlots, sendAnswer } from '../answers/send-answer.js';
import { createExpressServer } from '../internals/express.js';
import { BodyIntake } from './body-intake.js';
import { inTurnOfConnection } from './connection-turns.js';
import { withPlainTarget } from './request-target.js';

/**
 * Express for Nest, with cheaper requests: they get their prototypes when they are created (`createExpressServer`),
 * and responses are written as `AnswerGuard` planned them.
 */
export class HttpAdapter extends ExpressAdapter {
  private readonly slots: AnswerSlots = {
    longLists: new FairSlots(LONG_LISTS),
    memory: new FairSlots(ANSWER_MEMORY),
  };

  override initHttpServer(_options: NestApplicationOptions): void {
    this.httpServer = createExpressServer(this.getInstance<Express>(), {
      listen: (handle) => inTurnOfConnection(withPlainTarget(handle)),
      intake: (stream) => new BodyIntake(stream),
    });
  }

  override listen(
    port: number | string,
    host?: string | (() => void),
    callback?: () => void,
  ): Server {
    const { backlog } = HTTP_CONNECTIONS;
    const server = this.httpServer as Server;
    if (typeof host !== 'string') return server.listen({ port, backlog }, host);
    return server.listen({ port, host, backlog }, callback);
  }

  /** Handlers of the API are answered as `AnswerGuard` planned it, all others as Nest does. */
  override reply(response: Response, body: unknown, statusCode?: number): unknown {
    const plan = plannedAnswer(response);
    if (plan === undefined) return super.reply(response, body, statusCode);
    if (body instanceof StreamableFile) return super.reply(response, body, plan.status);
    return sendAnswer(response, body, plan, this.slots);
  }

  /** Nest presets 201 for a POST, also where a handler streams its own answer (Git over HTTP). */
  override status(response: Response, statusCode: number): unknown {
    return super.status(response, statusCode === 201 ? 200 : statusCode);
  }
}
