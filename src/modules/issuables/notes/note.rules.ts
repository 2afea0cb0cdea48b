import { invalidRecord, ruleViolated } from '../../../platform/errors/index.js';
import type { IssuableType } from '../kinds/issuable.js';
import { descriptionErrors, invalidFields } from '../kinds/issuable.rules.js';

/**
 * @throws DomainError for a body that is blank (docs/reference/conventions.md#required-parameters)
 * or longer than a description may be
 */
export function checkBody(body: string): void {
  if (body.trim() === '') throw ruleViolated('400 (Bad request) "body" not given');
  const invalid = invalidFields({ note: descriptionErrors(body) });
  if (invalid !== null) throw invalidRecord(invalid);
}

/** Returns the target type of events on notes. */
export const noteTarget = (type: IssuableType): string => `${type}Note`;
