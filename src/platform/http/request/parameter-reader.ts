import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { DomainError } from '../../errors/index.js';
import { isApiPath } from '../conventions.js';
import { emptyBody, type ParsedBody, readBody } from './body.js';
import { ClientGone, discardRest, hasBody } from './body-bytes.js';
import type { FileReceiver } from './file-parts.js';
import { bare } from './form-fields.js';
import { removeHarmful } from './harmless.js';
import { BODY_DEADLINE_MS } from './limits.js';
import { placeParameters, rememberRead } from './request-parameters.js';
import { parseQueryString } from './urlencoded.js';

/**
 * Reads the parameters of API requests from query string and body and puts them, merged, in the place
 * of both `request.query` and `request.body`. What is wrong with them is remembered and raised by the
 * `ParametersGuard`, since an unknown route or caller is answered first. Requests outside the API keep
 * their stream untouched.
 */
export function parameterReader(receiver?: FileReceiver): RequestHandler {
  return (request, response, next) => {
    if (!isApiPath(request.path)) {
      next();
    } else if (!hasBody(request)) {
      remember(request, emptyBody());
      next();
    } else {
      bodyOf(request, response, receiver).then(
        (body) => {
          remember(request, body);
          next();
        },
        (failure: unknown) => passOn(failure, next),
      );
    }
  };
}

function remember(request: Request, body: ParsedBody): void {
  const query = parseQueryString(request.url);
  const files = Object.fromEntries(body.files);
  const parameters = Object.assign(bare(), query.parameters, body.parameters, files);
  const harm = removeHarmful(parameters);
  const problem = query.problem ?? body.problem ?? harm;
  rememberRead(request, { parameters, problem });
  placeParameters(request, 'query', parameters);
  placeParameters(request, 'body', parameters);
}

async function bodyOf(
  request: Request,
  response: Response,
  receiver: FileReceiver | undefined,
): Promise<ParsedBody> {
  const deadline = setTimeout(() => request.destroy(), BODY_DEADLINE_MS).unref();
  try {
    if (request.method === 'GET' || request.method === 'HEAD') {
      await dropRest(request, response);
      return emptyBody();
    }
    return await readBody(request, receiver);
  } catch (failure) {
    if (!(failure instanceof DomainError)) throw failure;
    await dropRest(request, response);
    return emptyBody(failure);
  } finally {
    clearTimeout(deadline);
  }
}

// A connection with an unread rest cannot carry another request.
async function dropRest(request: Request, response: Response): Promise<void> {
  await discardRest(request);
  if (!request.complete) response.set('Connection', 'close');
}

function passOn(failure: unknown, next: NextFunction): void {
  if (!(failure instanceof ClientGone)) next(failure);
}
