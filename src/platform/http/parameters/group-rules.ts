import { declareRule } from './declaration.js';

/**
 * At least one of the named parameters must be given; without names, of all optional ones of the
 * class.
 */
export function AtLeastOneOf(...names: string[]): ClassDecorator {
  return (type) => {
    declareRule(type, {
      check: (given, declared) => {
        const optional = declared.filter(({ required }) => !required).map(({ name }) => name);
        const asked = names.length > 0 ? names : optional;
        if (asked.some((name) => given.has(name))) return undefined;
        return `${asked.join(', ')} are missing, at least one parameter must be provided`;
      },
    });
  };
}

/** The named parameters go together: all of them or none. */
export function AllOrNoneOf(...names: string[]): ClassDecorator {
  return (type) => {
    declareRule(type, {
      check: (given) => {
        const count = names.filter((name) => given.has(name)).length;
        if (count === 0 || count === names.length) return undefined;
        return `${names.join(', ')} provide all or none of parameters`;
      },
    });
  };
}

/** The first parameter is never given without the second. */
export function GivenWith(name: string, companion: string): ClassDecorator {
  return (type) => {
    declareRule(type, {
      check: (given) =>
        given.has(name) && !given.has(companion) ? `${companion} is missing` : undefined,
    });
  };
}
