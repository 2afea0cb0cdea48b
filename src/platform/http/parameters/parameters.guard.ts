import { type CanActivate, type ExecutionContext, Injectable, SetMetadata } from '@nestjs/common';
import { MetadataScanner } from '@nestjs/core';
import type { Request } from 'express';
import { MAX_ID, UNKNOWN_ID } from '../../database/index.js';
import { invalidParameter, routeNotFound } from '../../errors/index.js';
import { replaceParameters } from '../internals/express.js';
import { type RouteArgument, routeArguments } from '../internals/nest.js';
import { rawParameters, readOf } from '../request/request-parameters.js';
import { NUL } from '../request/sanitize.js';
import { type ParametersClass, parametersOf } from './declaration.js';
import { DIGITS } from './reference.js';
import { readParameters } from './validate-parameters.js';

/**
 * What a path value that is not a number says: that the parameter is invalid (400), or that there is
 * no such route (404, as for pages). `long`: invalid as well, and ids may be larger than `MAX_ID`.
 */
type PathIdRule = 'invalid' | 'no route' | 'long';

const PATH_IDS = Symbol('path values that are ids');

/**
 * Says what it means when an id in the path is not made of digits, where it is not `invalid`. The ids of a path are the
 * values that the handler takes as `number`.
 *
 * `@PathIds({ iid: 'no route' })` on the page `issues/:iid`: `issues/new` is not a route.
 */
export const PathIds = (ids: Readonly<Record<string, Exclude<PathIdRule, 'invalid'>>>) =>
  SetMetadata(PATH_IDS, ids);

interface DeclaredArgument {
  readonly source: 'query' | 'body';
  readonly type: ParametersClass;
}

interface HandlerPlan {
  readonly pathIds: Readonly<Record<string, PathIdRule>>;
  readonly arguments: readonly DeclaredArgument[];
}

/**
 * Checks the parameters of a request: what the reader found wrong, then path values, then the
 * declared parameters of the handler's `@Query()` and `@Body()` arguments, which it replaces by
 * validated instances. Runs between authentication and abilities
 * (docs/reference/conventions.md#order-of-checks).
 */
@Injectable()
export class ParametersGuard implements CanActivate {
  // Handlers are functions that live as long as the application; requests only look plans up.
  private readonly plans = new WeakMap<object, HandlerPlan>();

  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<Request>();
    const problem = readOf(request)?.problem;
    if (problem) throw problem;
    const plan = this.planOf(context);
    checkPath(request.params, plan.pathIds);
    const raw = rawParameters(request);
    for (const { source, type } of plan.arguments) {
      replaceParameters(request, source, readParameters(type, raw));
    }
    return true;
  }

  private planOf(context: ExecutionContext): HandlerPlan {
    const handler = context.getHandler();
    const known = this.plans.get(handler);
    if (known) return known;
    const plan = makePlan(context.getClass(), handler);
    this.plans.set(handler, plan);
    return plan;
  }
}

function makePlan(controller: ParametersClass, handler: object & { name: string }): HandlerPlan {
  const args = routeArguments(controller, handler.name);
  const exceptions = [controller, handler].map(
    (target) => (Reflect.getMetadata(PATH_IDS, target) ?? {}) as Record<string, PathIdRule>,
  );
  const rules = Object.assign({}, ...exceptions) as Record<string, PathIdRule>;
  const ids = args.filter(({ source, type }) => source === 'path' && type === Number);
  const names = ids.map(({ selected }) => String(selected));
  return {
    pathIds: Object.fromEntries(names.map((name) => [name, rules[name] ?? 'invalid'])),
    arguments: args.flatMap(declaredArgument),
  };
}

function declaredArgument({ source, selected, type }: RouteArgument): DeclaredArgument[] {
  if (source !== 'query' && source !== 'body') return [];
  if (selected !== undefined || typeof type !== 'function') return [];
  return parametersOf(type).length === 0 ? [] : [{ source, type: type as ParametersClass }];
}

/**
 * Checks that the classes of all `@Query()` and `@Body()` arguments are known at run time. Without it, no parameter
 * would be declared, and every request would fail.
 * @throws Error that names the arguments
 */
export function assertArgumentClasses(controllers: readonly ParametersClass[]): void {
  const scanner = new MetadataScanner();
  const problems = controllers.flatMap((controller) =>
    scanner.getAllMethodNames(controller.prototype as object).flatMap((method) =>
      routeArguments(controller, method)
        .filter(isWithoutClass)
        .map(({ source }) => {
          const argument = `@${source === 'query' ? 'Query' : 'Body'}()`;
          return `${controller.name}.${method}: the class of ${argument} is imported with "type"; import it as a value`;
        }),
    ),
  );
  if (problems.length > 0) throw new Error(problems.join('\n'));
}

const isWithoutClass = ({ source, selected, type }: RouteArgument): boolean =>
  (source === 'query' || source === 'body') &&
  selected === undefined &&
  (type === Object || type === Function);

function checkPath(
  params: Record<string, unknown>,
  ids: Readonly<Record<string, PathIdRule>>,
): void {
  for (const [name, value] of Object.entries(params)) {
    const segments = [value].flat();
    if (segments.some((segment) => String(segment).includes(NUL))) {
      throw invalidParameter(`${name} is invalid`);
    }
    const rule = ids[name];
    if (rule !== undefined) params[name] = idOf(name, value, rule);
  }
}

function idOf(name: string, value: unknown, rule: PathIdRule): number {
  if (typeof value !== 'string' || !DIGITS.test(value)) {
    throw rule === 'no route' ? routeNotFound() : invalidParameter(`${name} is invalid`);
  }
  const id = Number(value);
  const largest = rule === 'long' ? Number.MAX_SAFE_INTEGER : MAX_ID;
  return id > largest ? UNKNOWN_ID : id;
}
