import { applyDecorators } from '@nestjs/common';
import { Expose, Transform, type TransformFnParams } from 'class-transformer';
import {
  IsDefined,
  IsOptional,
  Validate,
  type ValidationArguments,
  ValidatorConstraint,
  type ValidatorConstraintInterface,
} from 'class-validator';
import type { DomainError } from '../../errors/index.js';
import { ApiProperty } from '../openapi/decorators.js';
import { type Converter, Refusal } from './conversions.js';
import { declareParameter } from './declaration.js';
import type { RawSource } from './raw-source.js';

/** Options of every kind of parameter. */
export interface ParameterOptions {
  /** Absent, it is answered with `<name> is missing`. Default: false. */
  required?: boolean;
  /** On updates: null clears the field. Default: false, null means "not given". */
  nullable?: boolean;
  /** Of a nullable parameter: `""` clears the field as null does, whatever its type. Default: false. */
  emptyClears?: boolean;
  /** What clients call it, if not by the name of the property. */
  name?: string;
  /** Older names of the parameter, accepted but not documented as parameters of their own. */
  aliases?: readonly string[];
  /** One sentence for the interface's documentation. */
  description?: string;
  /** Documented default; the value itself is the property's initializer. */
  default?: string | number | boolean;
  /** The error for a malformed value where it is not `<name> is invalid`. */
  refuse?: (name: string) => DomainError;
}

/** The part of a JSON schema that depends on the kind of parameter. */
export interface KindSchema {
  type?: 'string' | 'integer' | 'number' | 'boolean' | 'array' | 'object';
  format?: string;
  enum?: (string | number)[];
  items?: KindSchema;
  minimum?: number;
  maximum?: number;
  maxLength?: number;
}

/** The name of the constraint that a value could be converted. */
export const CONVERTED = 'converted';

/** A value that could be converted; the text of a `Refusal` follows the parameter's name. */
@ValidatorConstraint({ name: CONVERTED })
class Converted implements ValidatorConstraintInterface {
  validate(value: unknown): boolean {
    return !(value instanceof Refusal);
  }

  defaultMessage(args?: ValidationArguments): string {
    const refusal = args?.value as Refusal;
    return `$property ${refusal.text}`;
  }
}

/** The decorator of one parameter: how it is converted, checked and documented. */
export function parameter(
  options: ParameterOptions,
  convert: Converter<unknown>,
  schema: KindSchema,
  ...constraints: PropertyDecorator[]
): PropertyDecorator {
  const { aliases = [], required = false } = options;
  return applyDecorators(
    (prototype: object, key: string | symbol) => {
      const property = String(key);
      const name = options.name ?? property;
      declareParameter(prototype.constructor, { property, name, aliases, required });
    },
    Expose(),
    Transform(conversion(options, convert)),
    required ? IsDefined({ message: '$property is missing' }) : IsOptional(),
    Validate(Converted),
    documentation(options, schema),
    ...constraints,
  );
}

/** The value of a parameter's property: undefined when it is not given, a `Refusal` when it is malformed. */
function conversion(
  options: ParameterOptions,
  convert: Converter<unknown>,
): (params: TransformFnParams) => unknown {
  const { aliases = [], nullable = false, emptyClears = false, refuse } = options;
  return ({ key, obj }) => {
    const source = obj as RawSource;
    const called = options.name ?? key;
    const raw = source.rawValue([called, ...aliases]);
    if (raw === undefined) return undefined;
    if (raw === null) return nullable ? null : undefined;
    if (raw === '' && emptyClears) return null;
    const name = source.spelled(called);
    const value = convert(raw, name);
    if (value instanceof Refusal && refuse) throw refuse(name);
    return value;
  };
}

function documentation(options: ParameterOptions, schema: KindSchema): PropertyDecorator {
  const { required = false, nullable = false, aliases = [] } = options;
  const older = aliases.length > 0 ? `Also accepted as \`${aliases.join('`, `')}\`.` : undefined;
  const description = [options.description, older].filter((text) => text !== undefined).join(' ');
  // A plain object: the overloads of ApiProperty describe each kind of schema on its own.
  const property: object = {
    ...schema,
    ...(options.name === undefined ? {} : { name: options.name }),
    required,
    ...(nullable ? { nullable } : {}),
    ...(description === '' ? {} : { description }),
    ...(options.default === undefined ? {} : { default: options.default }),
  };
  return ApiProperty(property);
}
