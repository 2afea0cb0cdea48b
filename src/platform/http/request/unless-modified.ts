import {
  applyDecorators,
  type CallHandler,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
  UseInterceptors,
} from '@nestjs/common';
import type { Request } from 'express';
import { from, lastValueFrom, type Observable } from 'rxjs';
import { onlyUnmodifiedSince } from '../../database/index.js';
import { MayAnswer } from '../openapi/answers.js';

@Injectable()
class UnlessModifiedInterceptor implements NestInterceptor {
  intercept(execution: ExecutionContext, next: CallHandler): Observable<unknown> {
    const { headers } = execution.switchToHttp().getRequest<Request>();
    const since = new Date(headers['if-unmodified-since'] ?? '');
    // As HTTP says, a value that is no time is ignored.
    if (Number.isNaN(since.getTime())) return next.handle();
    return from(onlyUnmodifiedSince(since, () => lastValueFrom(next.handle())));
  }
}

/**
 * Has a route that removes something obey `If-Unmodified-Since` (docs/reference/v4.md#conditional-deletions). Its service checks the
 * row by `holdUnmodified` or `assertUnmodified`.
 */
export const UnlessModified = (...refusals: number[]): MethodDecorator =>
  applyDecorators(UseInterceptors(UnlessModifiedInterceptor), MayAnswer(412, ...refusals));
