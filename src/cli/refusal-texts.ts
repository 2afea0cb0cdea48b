import type { DomainError, FieldTexts } from '../platform/errors/index.js';

/** Words a refusal as the API does, without its status; of a refused record one text for each problem. */
export function refusalTexts({ detail }: DomainError): readonly string[] {
  if (detail.code === 'invalid-record') return textsOfFields(detail.fields);
  if (detail.code === 'limit-reached') return detail.texts;
  if (detail.code === 'not-found') return [`${detail.resource} not found`];
  const { text } = detail as { readonly text?: string };
  if (text !== undefined) return [text];
  const reasons = 'reason' in detail ? reasonsOf(detail.reason) : undefined;
  return reasons ?? [detail.code.replaceAll('-', ' ')];
}

function reasonsOf(
  reason: string | readonly string[] | FieldTexts | undefined,
): readonly string[] | undefined {
  if (typeof reason === 'string') return [reason];
  return isList(reason) ? reason : reason && textsOfFields(reason);
}

const isList = (reason: readonly string[] | FieldTexts | undefined): reason is readonly string[] =>
  Array.isArray(reason);

const textsOfFields = (fields: FieldTexts): string[] =>
  Object.entries(fields).flatMap(([field, texts]) => texts.map((text) => `${field} ${text}`));
