import {
  type CallHandler,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
} from '@nestjs/common';
import { catchError, type Observable } from 'rxjs';
import { GitError, type GitErrorCode, ObjectTooLargeError } from '../../git/index.js';
import { tooLarge, unavailable } from '../../platform/errors/index.js';

/** What passes by itself: the client may ask again. */
const PASSING: ReadonlySet<GitErrorCode> = new Set(['busy', 'timeout', 'closed', 'ref-locked']);

/**
 * Tells clients of the API when git is overloaded, or an object larger than an answer may be, instead of
 * calling it a fault of the service.
 */
@Injectable()
export class GitErrorsInterceptor implements NestInterceptor {
  intercept(_: ExecutionContext, next: CallHandler<unknown>): Observable<unknown> {
    return next.handle().pipe(
      catchError((error: unknown) => {
        if (error instanceof ObjectTooLargeError) throw tooLarge();
        throw error instanceof GitError && PASSING.has(error.code) ? unavailable() : error;
      }),
    );
  }
}
