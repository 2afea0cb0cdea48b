import { IntegerParam } from '../../../../platform/http/index.js';

/**
 * The priority of a label: an integer from 0; null and `""` clear it
 * (docs/reference/labels.md#put-projectsidlabels).
 */
export const LabelPriorityParam = (): PropertyDecorator =>
  IntegerParam({ nullable: true, emptyClears: true, min: 0, outOfRange: 'is invalid' });
