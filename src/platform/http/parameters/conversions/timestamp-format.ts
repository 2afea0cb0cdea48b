import { type DomainError, ruleViolated } from '../../../errors/index.js';

/** The refusal of a malformed `since` or `until`: `@TimestampParam({ refuse: timestampFormat })`. */
export const timestampFormat = (name: string): DomainError =>
  ruleViolated(`"${name}" must be a timestamp in ISO 8601 format: YYYY-MM-DDTHH:MM:SSZ`);
