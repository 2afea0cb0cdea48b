import { type CanActivate, type ExecutionContext, type Type, UseGuards } from '@nestjs/common';
import type { Request } from 'express';
import { forbidden } from '../../../platform/errors/index.js';
import { type Ability, accessOf } from '../../authorization/index.js';
import type { IssuableType } from '../model/issuable.js';
import { isEnabled } from '../model/issuable.rules.js';

/** How issues, or merge requests, are addressed by the endpoints that both kinds have. */
export interface IssuableRoutes {
  readonly type: IssuableType;
  /** The path of one of them, such as `projects/:id/issues/:issue_id`. */
  readonly path: string;
  /** The parameter of the path that holds its ID. */
  readonly idParameter: string;
  /** What the descriptions of the endpoints call it, without an article. */
  readonly noun: string;
  /** The same with its indefinite article. */
  readonly oneNoun: string;
  /** The ability to read it, which all of these endpoints require. */
  readonly ability: Ability;
  /** Refuses requests to projects in which the kind is disabled. */
  readonly requiresEnabled: ClassDecorator;
  /** The class of its response. */
  readonly view: Type<object>;
}

const READING = ['GET', 'HEAD'];

/** Refuses requests (403) to projects in which none of the kinds is enabled. */
class IssuablesEnabledGuard implements CanActivate {
  constructor(
    private readonly types: readonly IssuableType[],
    private readonly refusesReading: boolean,
  ) {}

  canActivate(context: ExecutionContext): boolean {
    if (!this.refusesReading) {
      const { method } = context.switchToHttp().getRequest<Request>();
      if (READING.includes(method)) return true;
    }
    const { project } = accessOf(context);
    if (!this.types.some((type) => isEnabled(project, type))) throw forbidden();
    return true;
  }
}

/**
 * Refuses requests (403) to projects in which none of the given kinds is enabled. It runs after the guards that
 * check the ability.
 */
export const RequiresEnabled = (...types: IssuableType[]): ClassDecorator & MethodDecorator =>
  UseGuards(new IssuablesEnabledGuard(types, true));

/**
 * Does the same for requests that write. Those that read are passed on, and find nothing
 * (docs/reference/issues.md#when-issues-are-switched-off).
 */
export const RequiresEnabledToWrite = (
  ...types: IssuableType[]
): ClassDecorator & MethodDecorator => UseGuards(new IssuablesEnabledGuard(types, false));
