import { registerDecorator, type ValidationArguments } from 'class-validator';
import { parametersOf } from './declaration.js';

/** The name of the constraint behind each rule on several parameters. */
export const RULE = 'rule';

/**
 * At least one of the named parameters must be given; without names, of all optional ones of the
 * class. One with a default counts as given.
 */
export function AtLeastOneOf(...names: string[]): ClassDecorator {
  const among = ({ object }: ValidationArguments): readonly string[] =>
    names.length > 0 ? names : optionalOf(object.constructor);
  return rule(
    `at least one of ${names.join(', ')}`,
    (args) => among(args).some((name) => isGiven(args, name)),
    (args) => `${among(args).join(', ')} are missing, at least one parameter must be provided`,
  );
}

/** Exactly one of the named parameters must be given. */
export function ExactlyOneOf(...names: string[]): ClassDecorator {
  const count = (args: ValidationArguments): number =>
    names.filter((name) => isGiven(args, name)).length;
  return rule(
    `exactly one of ${names.join(', ')}`,
    (args) => count(args) === 1,
    (args) =>
      count(args) === 0
        ? `${names.join(', ')} are missing, exactly one parameter must be provided`
        : `${names.join(', ')} are mutually exclusive`,
  );
}

/** The named parameters go together: all of them or none. */
export function AllOrNoneOf(...names: string[]): ClassDecorator {
  return rule(
    `all or none of ${names.join(', ')}`,
    (args) => new Set(names.map((name) => isGiven(args, name))).size === 1,
    () => `${names.join(', ')} provide all or none of parameters`,
  );
}

/** The first parameter is never given without the second. */
export function GivenWith(name: string, companion: string): ClassDecorator {
  return rule(
    `${name} with ${companion}`,
    (args) => !isGiven(args, name) || isGiven(args, companion),
    () => `${companion} is missing`,
  );
}

/**
 * Registers a rule with class-validator, which has no constraints on classes: as that of a property which no instance
 * has. On a property of the class it would be skipped when that parameter is optional and not given.
 */
function rule(
  propertyName: string,
  holds: (args: ValidationArguments) => boolean,
  message: (args: ValidationArguments) => string,
): ClassDecorator {
  const validate = (_: unknown, args?: ValidationArguments): boolean =>
    args === undefined || holds(args);
  return (target) =>
    registerDecorator({
      name: RULE,
      target,
      propertyName,
      options: { message },
      validator: { validate },
    });
}

const isGiven = ({ object }: ValidationArguments, name: string): boolean =>
  Reflect.get(object, name) !== undefined;

const optionalOf = (type: object): string[] =>
  parametersOf(type)
    .filter(({ required }) => !required)
    .map(({ name }) => name);
