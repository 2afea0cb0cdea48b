import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';

// Code that depends on internals of Nest. When an upgrade changes them, test/unit/http/internals.spec.ts fails.

/** The source of an argument of a handler, as far as the platform needs it. */
type ArgumentSource = 'path' | 'query' | 'body' | 'response';

export interface RouteArgument {
  readonly source: ArgumentSource;
  /** The name of the selected value (`@Query('name')`), undefined for all values. */
  readonly selected: unknown;
  /** The declared class; `Object` or, compiled by tsc, `Function` for one that is imported as a type. */
  readonly type: unknown;
}

const SOURCES: ReadonlyMap<string, ArgumentSource> = new Map([
  [String(RouteParamtypes.PARAM), 'path'],
  [String(RouteParamtypes.QUERY), 'query'],
  [String(RouteParamtypes.BODY), 'body'],
  [String(RouteParamtypes.RESPONSE), 'response'],
]);

/** Returns the arguments of a controller's method from the metadata of Nest's decorators, which has no public API. */
export function routeArguments(
  controller: { readonly prototype: unknown },
  method: string,
): RouteArgument[] {
  const declared = (Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, method) ?? {}) as Record<
    string,
    { readonly index: number; readonly data: unknown }
  >;
  const prototype = controller.prototype as object;
  const types = (Reflect.getMetadata('design:paramtypes', prototype, method) ?? []) as unknown[];
  return Object.entries(declared).flatMap(([key, { index, data }]) => {
    // The keys are `<kind of argument>:<index>`.
    const source = SOURCES.get(key.split(':')[0] ?? '');
    return source === undefined ? [] : [{ source, selected: data, type: types[index] }];
  });
}
