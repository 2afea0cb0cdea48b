import 'reflect-metadata';

/** A class whose properties are declared parameters. */
export type ParametersClass<T extends object = object> = new () => T;

/** A declared parameter: a property of the class, and how clients call it. */
export interface ParameterDeclaration {
  readonly property: string;
  /** What clients call it. */
  readonly name: string;
  /** Older names that existing clients send; `name` wins. */
  readonly aliases: readonly string[];
  readonly required: boolean;
}

const PARAMETERS = Symbol('declared parameters');

/** Adds a parameter to the class that owns the property; the order of declarations is kept. */
export function declareParameter(owner: object, declaration: ParameterDeclaration): void {
  const own =
    (Reflect.getOwnMetadata(PARAMETERS, owner) as ParameterDeclaration[] | undefined) ?? [];
  Reflect.defineMetadata(PARAMETERS, [...own, declaration], owner);
}

/**
 * The declared parameters, those of a base class first; empty for any other class. One that is declared
 * again takes the position of the base class's.
 */
export function parametersOf(type: object): readonly ParameterDeclaration[] {
  const base: unknown = Object.getPrototypeOf(type);
  const inherited = typeof base === 'function' ? parametersOf(base) : [];
  const own =
    (Reflect.getOwnMetadata(PARAMETERS, type) as ParameterDeclaration[] | undefined) ?? [];
  return [...new Map([...inherited, ...own].map((each) => [each.property, each])).values()];
}
