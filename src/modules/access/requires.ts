import { SetMetadata } from '@nestjs/common';
import type { Ability } from './permissions.js';

const ABILITY = Symbol('ability that a route requires');

/** Names the ability that a route takes. A route without it is refused for everybody. */
export const Requires = (ability: Ability): MethodDecorator => SetMetadata(ABILITY, ability);

/** The ability a handler declares, undefined when it declares none. */
export function abilityOf(handler: object): Ability | undefined {
  return Reflect.getMetadata(ABILITY, handler) as Ability | undefined;
}
