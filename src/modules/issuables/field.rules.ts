import { invalidRecord } from '../../platform/errors/index.js';
import { descriptionErrors, invalidFields, titleErrors } from './text.rules.js';

/** Far beyond what anybody reads; each name may make a label. */
const MAX_LABELS = 500;

/**
 * What of an issue or merge request has rules of its own
 * (docs/reference/issues.md#the-issue-object); absent is not looked at.
 */
export interface RuledFields {
  title?: string | undefined;
  description?: string | null | undefined;
  labels?: readonly string[] | undefined;
}

/** @throws DomainError invalid record, with all that is wrong */
export function assertFields({ title, description, labels = [] }: RuledFields): void {
  const errors = invalidFields({
    title: title === undefined ? [] : titleErrors(title),
    description: descriptionErrors(description ?? null),
    labels: labels.length > MAX_LABELS ? [`are too many (maximum is ${String(MAX_LABELS)})`] : [],
  });
  if (errors !== null) throw invalidRecord(errors);
}
