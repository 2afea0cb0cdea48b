import { DomainError, type FieldTexts } from '../../platform/errors/index.js';

/** Returns the refusal of a service in words; null for any other error. */
export function refusalText(error: unknown): string | null {
  if (!(error instanceof DomainError)) return null;
  const { detail } = error;
  switch (detail.code) {
    case 'invalid-record':
      return fieldTexts(detail.fields);
    case 'limit-reached':
      return detail.texts.join('; ');
    case 'storage-limit':
    case 'rule-violated':
      return detail.text;
    case 'conflict':
      return typeof detail.reason === 'string' ? detail.reason : error.message;
    default:
      return error.message;
  }
}

const fieldTexts = (fields: FieldTexts): string =>
  Object.entries(fields)
    .flatMap(([field, texts]) => texts.map((text) => `${field} ${text}`))
    .join('; ');
