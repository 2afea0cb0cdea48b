import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { routeArguments } from '../internals.js';
import { readOf } from '../request/request-parameters.js';
import { type AnswerPlan, planAnswer } from './answer-plan.js';
import { EMPTY_WHEN_ABSENT, FIXED_STATUS, type StatusProfile } from './status.js';

/**
 * Lets everybody pass and notes, for the `HttpAdapter`, how the handler's result is to be answered. An
 * interceptor could do both, but wraps every request into a chain of observables for it, which took
 * longer than everything else that is done to an answer.
 */
@Injectable()
export class AnswerGuard implements CanActivate {
  // Null for handlers that answer themselves. Handlers live as long as the application.
  private readonly plans = new WeakMap<object, AnswerPlan | null>();

  constructor(
    private readonly externalUrl: () => string,
    private readonly profile: StatusProfile,
  ) {}

  canActivate(context: ExecutionContext): boolean {
    const http = context.switchToHttp();
    const request = http.getRequest<Request>();
    if (readOf(request) === undefined) return true;
    const plan = this.planOf(context, request.method);
    if (plan !== null) planAnswer(http.getResponse<Response>(), plan);
    return true;
  }

  private planOf(context: ExecutionContext, verb: string): AnswerPlan | null {
    const handler = context.getHandler();
    const known = this.plans.get(handler);
    if (known !== undefined) return known;
    const plan = answersItself(context) ? null : this.makePlan(handler, verb);
    this.plans.set(handler, plan);
    return plan;
  }

  private makePlan(handler: object, verb: string): AnswerPlan {
    const fixed = Reflect.getMetadata(FIXED_STATUS, handler) as number | undefined;
    const status = verb === 'POST' && this.profile === 'gitlab' ? 201 : 200;
    return {
      status: fixed ?? status,
      emptyWhenAbsent: Reflect.getMetadata(EMPTY_WHEN_ABSENT, handler) === true,
      externalUrl: this.externalUrl,
    };
  }
}

// A handler that asked for the response writes it on its own, like a stream of an archive.
function answersItself(context: ExecutionContext): boolean {
  const args = routeArguments(context.getClass(), context.getHandler().name);
  return args.some(({ source }) => source === 'response');
}
