import { type CanActivate, type ExecutionContext, UseGuards } from '@nestjs/common';
import type { Request } from 'express';
import { forbidden } from '../../../platform/errors/index.js';
import { accessOf } from '../../authorization/index.js';
import type { IssuableType } from './issuable.js';
import { isEnabled } from './issuable.rules.js';

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
