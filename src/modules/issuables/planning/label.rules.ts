import type { FieldProblem, FieldProblems } from '../../../platform/errors/index.js';
import { type Changes, descriptionProblems, plainName } from '../model/issuable.rules.js';
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

/** Lists the problems of the values of a label, by field. */
export function labelProblems({ name, color, description }: LabelChanges): FieldProblems {
  return {
    labelName: name === undefined ? [] : nameProblems(name),
    color: color === undefined || COLOR.test(color) ? [] : [{ rule: 'not-a-color' }],
    description: descriptionProblems(description ?? null, MAX_DESCRIPTION),
  };
}

function nameProblems(text: string): FieldProblem[] {
  const name = labelNameOf(text);
  if (name === '') return [{ rule: 'blank' }];
  return isLabelName(name) ? [] : [{ rule: 'invalid' }];
}
