import { SetMetadata } from '@nestjs/common';
import { type BodyLimit, ORDINARY_BODY } from '../../../limits/index.js';

const LIMIT = Symbol('limit of bodies that a route takes');

/** Gives a route another limit of bodies than the ordinary one. */
export const TakesBody = (limit: BodyLimit): MethodDecorator => SetMetadata(LIMIT, limit);

/** What bodies the route of a handler takes. */
export function bodyLimitOf(handler: object): BodyLimit {
  return (Reflect.getMetadata(LIMIT, handler) as BodyLimit | undefined) ?? ORDINARY_BODY;
}
