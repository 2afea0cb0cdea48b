import type { Changes } from '../given.js';
import { descriptionErrors, invalidFields } from '../text.rules.js';
import { isLabelName, labelNameOf } from './label-name.js';
import type { Label } from './label.entity.js';

const COLOR = /^#(?:[0-9a-f]{3}|[0-9a-f]{6})$/i;
const MAX_DESCRIPTION = 2000;

export type LabelValues = Pick<Label, 'name' | 'color' | 'description' | 'priority'>;

/** What is to be changed; the rest stays. */
export type LabelChanges = Changes<LabelValues>;

/** What is wrong with the values of a label, by the fields that clients know; null when nothing is. */
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
