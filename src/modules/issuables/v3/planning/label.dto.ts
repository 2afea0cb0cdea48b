import { AtLeastOneOf, IntegerParam, StringParam } from '../../../../platform/http/index.js';

/**
 * The priority of a label: an integer from 0; null and `""` clear it
 * (docs/reference/labels.md#put-projectsidlabels).
 */
const LabelPriorityParam = (): PropertyDecorator =>
  IntegerParam({ nullable: true, emptyClears: true, min: 0, outOfRange: 'is invalid' });

/** `POST /projects/:id/labels`. */
export class CreateLabelDto {
  @StringParam({ required: true, description: 'Up to 255 characters without commas.' })
  name!: string;

  @StringParam({ required: true, description: '`#` and 6 or 3 hexadecimal digits.' })
  color!: string;

  @StringParam({ nullable: true, description: 'Up to 2,000 characters.' })
  description?: string | null;

  @LabelPriorityParam()
  priority?: number | null;
}

/** `PUT /projects/:id/labels`. */
@AtLeastOneOf()
export class UpdateLabelDto {
  @StringParam({ required: true, description: 'As the label is called now.' })
  name!: string;

  @StringParam({ description: 'Up to 255 characters without commas.' })
  new_name?: string;

  @StringParam({ description: '`#` and 6 or 3 hexadecimal digits.' })
  color?: string;

  @StringParam({ nullable: true, description: 'Up to 2,000 characters.' })
  description?: string | null;

  @LabelPriorityParam()
  priority?: number | null;
}

/** `DELETE /projects/:id/labels`. */
export class DeleteLabelDto {
  @StringParam({ required: true })
  name!: string;
}
