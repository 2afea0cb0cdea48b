import {
  applyDecorators,
  type CanActivate,
  Controller,
  createParamDecorator,
  type ExecutionContext,
  Injectable,
  SetMetadata,
  UseGuards,
} from '@nestjs/common';
import type { Request, Response } from 'express';
import { Config } from '../../../platform/config/index.js';
import { routeNotFound } from '../../../platform/errors/index.js';
import { ApiExcludeController } from '../../../platform/http/index.js';
import { noteCaller } from '../../../platform/observability/index.js';
import type { User } from '../../users/index.js';
import { pageContextOf } from '../html/page-context.js';
import { assertOwnForm } from './csrf.js';
import { PageReaders } from './page-readers.js';

const ONLY_ADMINISTRATORS = Symbol('only administrators see the pages of a controller');

/**
 * A controller of pages, each of whose routes still names the ability `page:open`. The session of the browser says who
 * reads them; the API and Git know nothing of it.
 */
export const PageController = (path: string): ClassDecorator =>
  applyDecorators(Controller(path), ApiExcludeController(), UseGuards(PageGuard));

/** The pages of a controller are there for administrators alone. */
export const OnlyAdministrators = (): ClassDecorator => SetMetadata(ONLY_ADMINISTRATORS, true);

/** Who reads a page: the account, or null for anonymous readers. */
export const Viewer = createParamDecorator(
  (_: unknown, execution: ExecutionContext): User | null =>
    pageContextOf(execution.switchToHttp().getRequest<Request>())?.viewer ?? null,
);

/** The same for pages of which anonymous readers get nothing, as those of administrators. */
export const SignedIn = createParamDecorator((_: unknown, execution: ExecutionContext): User => {
  const viewer = pageContextOf(execution.switchToHttp().getRequest<Request>())?.viewer;
  if (viewer === null || viewer === undefined) throw new Error('The page is open to all');
  return viewer;
});

/** Finds out who reads a page, and refuses forms that do not come from one of this service. */
@Injectable()
export class PageGuard implements CanActivate {
  constructor(
    private readonly readers: PageReaders,
    private readonly config: Config,
  ) {}

  async canActivate(execution: ExecutionContext): Promise<boolean> {
    const http = execution.switchToHttp();
    const request = http.getRequest<Request>();
    const { viewer, cookie } = await this.readers.identify(request, http.getResponse<Response>());
    if (viewer !== null) noteCaller(request, viewer.id);
    const isRestricted = Reflect.getMetadata(ONLY_ADMINISTRATORS, execution.getClass()) === true;
    if (isRestricted && viewer?.admin !== true) throw routeNotFound();
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      assertOwnForm(request, cookie, this.config.http.externalUrl);
    }
    return true;
  }
}
