export { AllOrNoneOf, AtLeastOneOf, GivenWith } from './group-rules.js';
export {
  IdListParam,
  IntegerListParam,
  ObjectListParam,
  StringListParam,
  type StringListOptions,
} from './list-params.js';
export type { ParameterOptions } from './declare.js';
export type { ParametersClass } from './declaration.js';
export { PageNumberParam, PageQuery } from './page-query.js';
export { ParametersGuard } from './parameters.guard.js';
export { type PathIdRule, PathIds } from './path-ids.js';
export { reference, type Reference, restOfPath } from './reference.js';
export {
  BooleanParam,
  DateParam,
  EnumParam,
  FileParam,
  IdParam,
  IntegerParam,
  StringParam,
  TimestampParam,
  type IdOptions,
  type IntegerOptions,
  type StringOptions,
} from './scalar-params.js';
export { readParameters as validateParameters } from './validate-parameters.js';
export { timestampFormat } from './conversions/timestamp-format.js';
