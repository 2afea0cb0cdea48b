import 'reflect-metadata';
import type { DomainError } from '../../errors/index.js';
import type { Converter } from './conversions.js';

/** A class whose properties are declared parameters. */
export type ParametersClass<T extends object = object> = new () => T;

/** How one property of a parameters class is read. */
export interface ParameterDeclaration {
  /** The parameter's name; also the property's. */
  readonly name: string;
  /** Older names that existing clients send; `name` wins. */
  readonly aliases: readonly string[];
  readonly required: boolean;
  /** JSON null clears the field; otherwise it means "not given". */
  readonly nullable: boolean;
  readonly convert: Converter<unknown>;
  /** The error for a malformed value where it is not `<name> is invalid`. */
  readonly refuse?: (name: string) => DomainError;
}

/** A condition on several parameters of one class, looked at after each of them was read. */
export interface GroupRule {
  readonly check: (
    given: ReadonlySet<string>,
    declared: readonly ParameterDeclaration[],
  ) => string | undefined;
}

const PARAMETERS = Symbol('declared parameters');
const RULES = Symbol('rules on several parameters');

/** Adds a parameter to the class that owns the property; the order of declarations is kept. */
export function declareParameter(owner: object, declaration: ParameterDeclaration): void {
  append(PARAMETERS, owner, declaration);
}

function declareRule(owner: object, rule: GroupRule): void {
  append(RULES, owner, rule);
}

/**
 * The declared parameters, those of a base class first; empty for any other class. One that is declared
 * again takes the place of the base class's.
 */
export function parametersOf(type: object): readonly ParameterDeclaration[] {
  const declared = collected<ParameterDeclaration>(PARAMETERS, type);
  return [...new Map(declared.map((each) => [each.name, each])).values()];
}

export function rulesOf(type: object): readonly GroupRule[] {
  return collected<GroupRule>(RULES, type);
}

function append<T>(key: symbol, owner: object, entry: T): void {
  const own = (Reflect.getOwnMetadata(key, owner) as T[] | undefined) ?? [];
  Reflect.defineMetadata(key, [...own, entry], owner);
}

function collected<T>(key: symbol, type: object): readonly T[] {
  const base: unknown = Object.getPrototypeOf(type);
  const inherited = typeof base === 'function' ? collected<T>(key, base) : [];
  const own = (Reflect.getOwnMetadata(key, type) as T[] | undefined) ?? [];
  return [...inherited, ...own];
}

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
