import { type CanActivate, type ExecutionContext, Injectable, SetMetadata } from '@nestjs/common';
import type { Request, Response } from 'express';
import { DomainError } from '../../../errors/index.js';
import { type BodyLimit, MAX_DISCARDED_BYTES, ORDINARY_BODY } from '../../../limits/index.js';
import { mergeBody } from '../parameter-reader.js';
import { readOf } from '../request-parameters.js';
import { emptyBody, type ParsedBody, RequestBodies } from './body.js';
import { announcedBytes, hasBody } from './body-bytes.js';

const LIMIT = Symbol('limit of bodies that a route takes');

/** Gives a route another limit of bodies than the ordinary one. */
export const TakesBody = (limit: BodyLimit): MethodDecorator => SetMetadata(LIMIT, limit);

/** Problems that need no known caller: what follows of the body will not be waited for. */
const IMMEDIATE = new Set(['too-slow']);

/**
 * Reads the body of an API request, once its route is known, and merges its parameters into those of the
 * query string. It runs before the guard that identifies the caller, since the credential may be among them.
 * Problems are kept for the `ParametersGuard`: an unknown caller gets a 401 first.
 */
@Injectable()
export class BodyGuard implements CanActivate {
  constructor(private readonly bodies: RequestBodies) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<Request>();
    const isIgnored = request.method === 'GET' || request.method === 'HEAD';
    if (isIgnored || !hasBody(request) || readOf(request) === undefined) return true;
    return this.read(request, http.getResponse<Response>(), context.getHandler());
  }

  private async read(request: Request, response: Response, handler: object): Promise<boolean> {
    let body: ParsedBody;
    try {
      body = await this.bodies.read(request, bodyLimitOf(handler));
    } catch (failure) {
      const isRefusal = failure instanceof DomainError && !IMMEDIATE.has(failure.detail.code);
      if (!isRefusal) throw failure;
      body = emptyBody(failure);
      // A connection with an unread rest cannot carry another request.
      if ((announcedBytes(request) ?? 0) > MAX_DISCARDED_BYTES) response.set('Connection', 'close');
    }
    mergeBody(request, body);
    return true;
  }
}

/** What bodies the route of a handler takes. */
function bodyLimitOf(handler: object): BodyLimit {
  return (Reflect.getMetadata(LIMIT, handler) as BodyLimit | undefined) ?? ORDINARY_BODY;
}
