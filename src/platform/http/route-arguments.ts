import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import type { ParametersClass } from './parameters/declaration.js';

/** Where an argument of a handler comes from, as far as the platform cares. */
export type ArgumentSource = 'query' | 'body' | 'response';

export interface RouteArgument {
  readonly source: ArgumentSource;
  /** The single value it was asked for (`@Query('name')`), undefined for all of them. */
  readonly selected: unknown;
  /** Its declared class. */
  readonly type: unknown;
}

const SOURCES: ReadonlyMap<string, ArgumentSource> = new Map([
  [String(RouteParamtypes.QUERY), 'query'],
  [String(RouteParamtypes.BODY), 'body'],
  [String(RouteParamtypes.RESPONSE), 'response'],
]);

/** What the framework's decorators say about the arguments of a controller's method. */
export function routeArguments(controller: ParametersClass, method: string): RouteArgument[] {
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
