import {
  applyDecorators,
  type CanActivate,
  type ExecutionContext,
  HttpCode,
  SetMetadata,
} from '@nestjs/common';
import type { Request, Response } from 'express';
import { AttachedValue } from '../../async/index.js';
import type { ApiFace, StatusProfile, SuccessStatus } from '../face/api-face.js';
import { faceOf } from '../face/request-face.js';
import { routeArguments } from '../internals/nest.js';
import { ApiExtension } from '../openapi/decorators.js';

const FIXED_STATUS = Symbol('status of success, whatever the profile');
const EMPTY_WHEN_ABSENT = Symbol('nothing to answer is an empty body');
const CONTAINS_SECRET = Symbol('the answer may contain a secret');

/** Marks an operation in the generated interface document; removed when the document is completed. */
export const FIXED_STATUS_EXTENSION = 'x-fixed-status';

/** The handler's success has this status, whatever the face says of its verb (SSH keys and e-mails 201, shares 204). */
export const FixedStatus = (status: SuccessStatus): MethodDecorator =>
  applyDecorators(
    SetMetadata(FIXED_STATUS, status),
    HttpCode(status),
    ApiExtension(FIXED_STATUS_EXTENSION, status),
  );

/** Where the handler returns null or nothing, the answer is 200 with `Content-Length: 0`. */
export const EmptyWhenAbsent = (): MethodDecorator => SetMetadata(EMPTY_WHEN_ABSENT, true);

/** The answer may contain a secret, such as a token: not even the client's own cache stores it. */
export const ContainsSecret = (): MethodDecorator => SetMetadata(CONTAINS_SECRET, true);

/** How to answer with what a handler returns. */
export interface AnswerPlan {
  readonly face: ApiFace;
  /** Status of success. */
  readonly status: number;
  /** Whether nothing to answer is an empty body, rather than `null`. */
  readonly emptyWhenAbsent: boolean;
  readonly containsSecret: boolean;
  /** The service's own address, for the links of pages; without a trailing slash. */
  readonly externalUrl: () => string;
  /** Differs between programs, faces and settings that may represent the same content differently. */
  readonly representation: string;
}

const plannedAnswers = new AttachedValue<AnswerPlan>();

/** How a response is to be answered; undefined for requests outside the API and for handlers that answer themselves. */
export function plannedAnswer(response: object): AnswerPlan | undefined {
  return plannedAnswers.get(response);
}

/**
 * Admits every request, and notes for the `HttpAdapter` how to answer with the handler's result. An
 * interceptor could do both, but wraps every request into a chain of observables for it, which took
 * longer than everything else that is done to an answer.
 */
export class AnswerGuard implements CanActivate {
  // Null for handlers that answer themselves. Handlers live as long as the application, and have one face.
  private readonly plans = {
    spec: new WeakMap<object, AnswerPlan | null>(),
    gitlab: new WeakMap<object, AnswerPlan | null>(),
  };

  constructor(
    private readonly externalUrl: () => string,
    private readonly profile: () => StatusProfile,
    private readonly build: string,
  ) {}

  canActivate(context: ExecutionContext): boolean {
    const http = context.switchToHttp();
    const request = http.getRequest<Request>();
    const face = faceOf(request);
    if (face === undefined) return true;
    const plan = this.planOf(context, face, request.method);
    if (plan === null) return true;
    const response = http.getResponse<Response>();
    plannedAnswers.set(response, plan);
    if (plan.containsSecret) response.setHeader('Cache-Control', 'no-store');
    return true;
  }

  private planOf(context: ExecutionContext, face: ApiFace, verb: string): AnswerPlan | null {
    const handler = context.getHandler();
    const profile = this.profile();
    const plans = this.plans[profile];
    const known = plans.get(handler);
    if (known !== undefined) return known;
    const plan = answersItself(context) ? null : this.makePlan(handler, face, verb, profile);
    plans.set(handler, plan);
    return plan;
  }

  private makePlan(
    handler: object,
    face: ApiFace,
    verb: string,
    profile: StatusProfile,
  ): AnswerPlan {
    const fixed = Reflect.getMetadata(FIXED_STATUS, handler) as SuccessStatus | undefined;
    return {
      face,
      status: fixed ?? face.statusOf(verb, profile),
      emptyWhenAbsent: Reflect.getMetadata(EMPTY_WHEN_ABSENT, handler) === true,
      containsSecret: Reflect.getMetadata(CONTAINS_SECRET, handler) === true,
      externalUrl: this.externalUrl,
      representation: `${this.build} ${face.name} ${profile}`,
    };
  }
}

// A handler that asked for the response writes it on its own, like a stream of an archive.
function answersItself(context: ExecutionContext): boolean {
  const args = routeArguments(context.getClass(), context.getHandler().name);
  return args.some(({ source }) => source === 'response');
}
