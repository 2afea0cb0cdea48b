import { type NestApplicationOptions, StreamableFile } from '@nestjs/common';
import { ExpressAdapter } from '@nestjs/platform-express';
import type { Express, Response } from 'express';
import { createServer, IncomingMessage, ServerResponse } from 'node:http';
import { FairSlots, LONG_LISTS } from '../../limits/index.js';
import { plannedAnswer } from '../answers/answer-plan.js';
import { sendAnswer } from '../answers/send-answer.js';
import { inTurnOfConnection } from './connection-turns.js';

/** Express for Nest, without the two things that made the most of what a request costs. */
export class HttpAdapter extends ExpressAdapter {
  private readonly longLists = new FairSlots(LONG_LISTS);

  /**
   * Express gives each request and response another prototype, after which the engine optimises
   * nothing that touches them. Where they are born with it, that assignment does nothing.
   */
  override initHttpServer(_options: NestApplicationOptions): void {
    const express = this.getInstance<Express>();
    class BornRequest extends IncomingMessage {}
    class BornResponse extends ServerResponse<BornRequest> {}
    express.request = inherit(BornRequest, express.request);
    express.response = inherit(BornResponse, express.response);
    this.httpServer = createServer(
      { IncomingMessage: BornRequest, ServerResponse: BornResponse },
      inTurnOfConnection(express),
    );
  }

  /** Handlers of the API are answered as `AnswerGuard` planned it, all others as Nest does. */
  override reply(response: Response, body: unknown, statusCode?: number): unknown {
    const plan = plannedAnswer(response);
    if (plan === undefined) return super.reply(response, body, statusCode);
    if (body instanceof StreamableFile) return super.reply(response, body, plan.status);
    return sendAnswer(response, body, plan, this.longLists);
  }

  /** Nest presets 201 for a POST, also where a handler streams its own answer (Git over HTTP). */
  override status(response: Response, statusCode: number): unknown {
    return super.status(response, statusCode === 201 ? 200 : statusCode);
  }
}

/** Puts what Express adds to requests or responses below a class of Node's. */
function inherit<T extends object>(born: { readonly prototype: object }, added: T): T {
  return Object.setPrototypeOf(born.prototype, added) as T;
}
