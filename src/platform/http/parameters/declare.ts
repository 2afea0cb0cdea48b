import { applyDecorators } from '@nestjs/common';
import { ValidateIf } from 'class-validator';
import type { DomainError } from '../../errors/index.js';
import { ApiProperty } from '../openapi/decorators.js';
import type { Converter } from './conversions.js';
import { declareParameter } from './declaration.js';

/** Options of every kind of parameter. */
export interface ParameterOptions {
  /** Absent, it is answered with `<name> is missing`. Default: false. */
  required?: boolean;
  /** On updates: null clears the field. Default: false, null means "not given". */
  nullable?: boolean;
  /** Of a nullable parameter: `""` clears the field as null does, whatever its type. Default: false. */
  emptyClears?: boolean;
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
  type?: 'string' | 'integer' | 'boolean' | 'array' | 'object';
  format?: string;
  enum?: (string | number)[];
  items?: KindSchema;
  minimum?: number;
  maximum?: number;
  maxLength?: number;
}

/** The decorator of one parameter: how it is read, checked and documented. */
export function parameter(
  options: ParameterOptions,
  convert: Converter<unknown>,
  schema: KindSchema,
  ...constraints: PropertyDecorator[]
): PropertyDecorator {
  const { aliases = [], required = false, nullable = false, emptyClears = false, refuse } = options;
  const reading = emptyClears ? clearedByEmpty(convert) : convert;
  const reads: PropertyDecorator = (prototype, key) => {
    const declared = { name: String(key), aliases, required, nullable, convert: reading };
    declareParameter(prototype.constructor, refuse ? { ...declared, refuse } : declared);
  };
  return applyDecorators(
    reads,
    ValidateIf((_, value) => value !== undefined && value !== null),
    documentation(options, schema),
    ...constraints,
  );
}

function clearedByEmpty(convert: Converter<unknown>): Converter<unknown> {
  return (raw, name) => (raw === '' ? null : convert(raw, name));
}

function documentation(options: ParameterOptions, schema: KindSchema): PropertyDecorator {
  const { required = false, nullable = false, aliases = [] } = options;
  const older = aliases.length > 0 ? `Also accepted as \`${aliases.join('`, `')}\`.` : undefined;
  const description = [options.description, older].filter((text) => text !== undefined).join(' ');
  // A plain object: the overloads of ApiProperty describe each kind of schema on its own.
  const property: object = {
    ...schema,
    required,
    ...(nullable ? { nullable } : {}),
    ...(description === '' ? {} : { description }),
    ...(options.default === undefined ? {} : { default: options.default }),
  };
  return ApiProperty(property);
}
