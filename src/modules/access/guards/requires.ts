import { SetMetadata } from '@nestjs/common';
import type { Ability } from '../permissions.js';

const ABILITY = Symbol('ability that a route requires');

// Read twice per request, and reading metadata walks up the prototypes.
const abilities = new WeakMap<object, Ability>();

/** Names the ability that a route requires. A route without it is refused for everybody. */
export const Requires = (ability: Ability): MethodDecorator => SetMetadata(ABILITY, ability);

/** The ability a handler declares, undefined when it declares none. */
export function abilityOf(handler: object): Ability | undefined {
  const known = abilities.get(handler);
  if (known !== undefined) return known;
  const ability = Reflect.getMetadata(ABILITY, handler) as Ability | undefined;
  if (ability !== undefined) abilities.set(handler, ability);
  return ability;
}
