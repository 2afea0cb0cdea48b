import { Max, MaxLength, Min } from 'class-validator';
import { MAX_ID } from '../../database/index.js';
import { ReceivedFile } from '../request/body/file-parts.js';
import {
  type BlankMeaning,
  type Converter,
  INVALID,
  NOT_A_VALUE,
  oneOf,
  textWhereBlankIs,
  toBoolean,
  toBoundedText,
  toDate,
  toId,
  toNumber,
  toStoredInteger,
  toText,
  toTimestamp,
} from './conversions.js';
import { type KindSchema, parameter, type ParameterOptions } from './declare.js';

interface LimitedOptions extends ParameterOptions {
  /** Least value; a smaller one is answered with `<name> does not have a valid value`. */
  min?: number;
  /** Greatest value; a greater one is answered in the same way. */
  max?: number;
  /** The text for values out of range, after the name; replaces `does not have a valid value`. */
  outOfRange?: string;
}

interface IdOptions extends ParameterOptions {
  /** 0 clears the field, as null does (`assignee_id`, `milestone_id`). */
  zeroClears?: boolean;
}

interface StringOptions extends ParameterOptions {
  /**
   * What a blank value means: it is kept as it is and left to the record's validation, it is "not
   * given", or it is refused with `<name> is empty`. Default: kept.
   */
  blank?: BlankMeaning;
  /**
   * JSON numbers and booleans are refused instead of spelled out: for names of branches and messages of
   * commits, which cannot be corrected later. Default: false.
   */
  stringOnly?: boolean;
  /**
   * Greatest number of UTF-16 units, a guard against abuse rather than a rule of the domain. Default:
   * `PARAMETER_CHARACTERS`, which the interface document leaves out.
   */
  maxLength?: number;
}

/** An integer that fits 32 bits. */
export function IntegerParam(options: LimitedOptions = {}): PropertyDecorator {
  return limitedParameter(options, toStoredInteger, 'integer');
}

/** A number, possibly with a fraction. */
export function NumberParam(options: LimitedOptions = {}): PropertyDecorator {
  return limitedParameter(options, toNumber, 'number');
}

function limitedParameter(
  options: LimitedOptions,
  convert: Converter<number>,
  type: 'integer' | 'number',
): PropertyDecorator {
  const { min, max, outOfRange = NOT_A_VALUE.text } = options;
  const refusal = { message: `$property ${outOfRange}` };
  const schema: KindSchema = {
    type,
    ...(min === undefined ? {} : { minimum: min }),
    ...(max === undefined ? {} : { maximum: max }),
  };
  const limits = [
    ...(min === undefined ? [] : [Min(min, refusal)]),
    ...(max === undefined ? [] : [Max(max, refusal)]),
  ];
  return parameter(options, convert, schema, ...limits);
}

/** The id of a row; one beyond what a row can have becomes `UNKNOWN_ID`, which no lookup finds. */
export function IdParam(options: IdOptions = {}): PropertyDecorator {
  const convert: Converter<number> = (raw) => {
    const id = toId(raw);
    return options.zeroClears === true && id === 0 ? null : id;
  };
  return parameter(options, convert, { type: 'integer', minimum: 0, maximum: MAX_ID });
}

export function BooleanParam(options: ParameterOptions = {}): PropertyDecorator {
  return parameter(options, toBoolean, { type: 'boolean' });
}

export function StringParam(options: StringOptions = {}): PropertyDecorator {
  const { blank = 'kept', stringOnly = false, maxLength } = options;
  const read = textWhereBlankIs(blank, maxLength === undefined ? toBoundedText : toText);
  const convert: Converter<string> = (raw) =>
    stringOnly && typeof raw !== 'string' ? INVALID : read(raw);
  if (maxLength === undefined) return parameter(options, convert, { type: 'string' });
  const message = `$property is too long (maximum is ${maxLength} characters)`;
  return parameter(
    options,
    convert,
    { type: 'string', maxLength },
    MaxLength(maxLength, { message }),
  );
}

/** One of the values, spelled exactly; all strings or all integers. */
export function EnumParam<V extends string | number>(
  values: readonly V[],
  options: ParameterOptions = {},
): PropertyDecorator {
  const type = values.every((value) => typeof value === 'number') ? 'integer' : 'string';
  return parameter(options, oneOf(values), { type, enum: [...values] });
}

/** A moment; the property is a `Date`. */
export function TimestampParam(options: ParameterOptions = {}): PropertyDecorator {
  return parameter(options, toTimestamp, { type: 'string', format: 'date-time' });
}

/** A calendar day; the property is a string `YYYY-MM-DD`, null after `""` or null. */
export function DateParam(options: ParameterOptions = {}): PropertyDecorator {
  return parameter({ nullable: true, ...options }, toDate, { type: 'string', format: 'date' });
}

/** A file of a multipart body; the property is a `ReceivedFile`. Its route says `@ApiConsumes`. */
export function FileParam(options: ParameterOptions = {}): PropertyDecorator {
  const convert: Converter<ReceivedFile> = (raw) => (raw instanceof ReceivedFile ? raw : INVALID);
  return parameter(options, convert, { type: 'string', format: 'binary' });
}
