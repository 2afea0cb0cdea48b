import {
  type Changes,
  descriptionErrors,
  invalidFields,
  plainName,
} from '../kinds/issuable.rules.js';
import type { Label } from './label.entity.js';

const COLOR = /^#(?:[0-9a-f]{3}|[0-9a-f]{6})$/i;
const MAX_DESCRIPTION = 2000;
const MAX_LENGTH = 255;

/** Normalizes a name (docs/reference/labels.md#names). */
export const labelNameOf = plainName;

/** Whether a label may have this name. Lists of labels are separated by commas. */
export const isLabelName = (name: string): boolean =>
  name !== '' && [...name].length <= MAX_LENGTH && !name.includes(',');

export type LabelValues = Pick<Label, 'name' | 'color' | 'description' | 'priority'>;

/** Changes of a label. */
export type LabelChanges = Changes<LabelValues>;

/** Lists the errors of the values of a label by their API fields; null if there are none. */
export function labelErrors({
  name,
  color,
  description,
}: LabelChanges): Record<string, string[]> | null {
  return invalidFields({
    title: name === undefined ? [] : nameErrors(name),
    color: color === undefined || COLOR.test(color) ? [] : ['must be a valid color code'],
    description: descriptionErrors(description ?? null, MAX_DESCRIPTION),
  });
}

function nameErrors(text: string): string[] {
  const name = labelNameOf(text);
  if (name === '') return ["can't be blank"];
  return isLabelName(name) ? [] : ['is invalid'];
}
